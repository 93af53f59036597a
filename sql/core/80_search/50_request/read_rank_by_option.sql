create or replace function braid_store.read_rank_by_option(given jsonb, inout options braid_store.search_options)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_name text := case when given ? 'rank_by' then 'rank_by' else 'rerank' end;
  v_value jsonb := given -> v_name;
  v_names jsonb;
  v_weights jsonb;
begin
  if given ?& '{rank_by,rerank}' then
    raise exception 'options rank_by and rerank are given together'
      using errcode = '22023', hint = 'Give rank_by; rerank is its older name.';
  end if;
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
    raise exception 'option % is %', v_name, left(v_value::text, 100)
      using errcode = '22023',
            hint = 'List some of similarity, importance and recency, each once, or give their weights, 0 or from 1e-9 to '
                   '1e9 and not all 0, as in {"similarity": 1, "importance": 0.5, "recency": 0.5}.';
  end if;
  -- Similarity alone is the order that there is.
  if v_weights - 'similarity' <> '{}' then
    options.rank_by := v_weights;
  end if;
end
$$;

comment on function braid_store.read_rank_by_option(jsonb, braid_store.search_options) is
  'Returns options with the weights of the signals filled in that rows are ranked by; null if that is similarity alone. '
  'given: all options as JSON, without nulls; rerank is the older name of rank_by. Raises 22023 for values that cannot '
  'be used.';
