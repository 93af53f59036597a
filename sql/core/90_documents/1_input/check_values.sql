create or replace function braid_store.check_values(item_lists jsonb[], item_names text[])
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wrong record;
begin
  select l.item_name, i.ordinality, i.value ->> 'external_id' as external_id, f.key, f.value
  into v_wrong
  from unnest(check_values.item_lists, check_values.item_names) l (items, item_name),
       jsonb_array_elements(l.items) with ordinality i,
       lateral (values
         ('importance', i.value ->> 'importance', 'float8'),
         ('occurred_at', i.value ->> 'occurred_at', 'timestamptz')
       ) f (key, value, type)
  where not coalesce(pg_input_is_valid(f.value, f.type), true)
  limit 1;
  if found then
    raise exception '% of % % is ''%''', v_wrong.key, v_wrong.item_name,
                    coalesce('"' || left(v_wrong.external_id, 100) || '"', v_wrong.ordinality::text),
                    left(v_wrong.value, 100)
      using errcode = '22023',
            hint = case v_wrong.key when 'importance' then 'Give a number that fits float8.'
                                    else 'Give a time such as 2026-03-01T12:00:00Z.' end;
  end if;
end
$$;

comment on function braid_store.check_values(jsonb[], text[]) is
  'Raise 22023 for an importance or occurred_at that its column cannot hold. item_names: what an error calls an '
  'element of each list.';
