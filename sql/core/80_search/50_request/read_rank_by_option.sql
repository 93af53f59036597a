create or replace function braid_store.read_rank_by_option(inout rank_by jsonb)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_value jsonb := rank_by;
  v_names jsonb;
  v_weights jsonb;
begin
  if jsonb_typeof(v_value) = 'array' then
    v_names := v_value;
    select jsonb_object_agg(s.value #>> '{}', 1) into v_weights
    from jsonb_array_elements(v_names) s
    where s.value in ('"similarity"', '"importance"', '"recency"');
  else
    v_weights := v_value;
    select jsonb_agg(k.name) into v_names from jsonb_object_keys(v_weights) k (name);
  end if;
  if jsonb_array_length(v_names) is distinct from (select count(*)::int from jsonb_object_keys(v_weights) k (name))
     or exists (
       select from jsonb_each(v_weights) w
       where w.key not in ('similarity', 'importance', 'recency')
          or not braid_store.is_number(w.value, 0, 1e9)
          or not braid_store.is_weight((w.value #>> '{}')::float8))
     or coalesce((select sum((w.value #>> '{}')::float8) from jsonb_each(v_weights) w), 0) = 0 then
    raise exception 'option rank_by is %', left(v_value::text, 100)
      using errcode = '22023',
            hint = 'List some of similarity, importance and recency, each once, or give their weights, 0 or from 1e-9 '
              'to '
                   '1e9 and not all 0, as in {"similarity": 1, "importance": 0.5, "recency": 0.5}.';
  end if;
  -- A weight of similarity alone would not change the order.
  rank_by := case when v_weights - 'similarity' <> '{}' then v_weights end;
end
$$;

comment on function braid_store.read_rank_by_option(jsonb) is
  'Return the weights of the signals that rows are ranked by, or null if only similarity has a weight. rank_by is '
  'the JSON value of the option. Raise 22023 for values that cannot be used.';
