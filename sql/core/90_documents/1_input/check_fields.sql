create or replace function braid_store.check_fields(item_lists jsonb[], item_names text[], field_types jsonb)
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
  select l.item_name, i.ordinality, jsonb_typeof(i.value) as item_type, i.value ->> 'external_id' as external_id, f.key,
         jsonb_typeof(f.value) as type, check_fields.field_types -> f.key as allowed
  into v_wrong
  from unnest(check_fields.item_lists, check_fields.item_names) l (items, item_name),
       jsonb_array_elements(l.items) with ordinality i
       left join lateral jsonb_each(case when jsonb_typeof(i.value) = 'object' then i.value end) f on true
  where jsonb_typeof(i.value) <> 'object'
     or f.key is not null and not coalesce(check_fields.field_types -> f.key ? jsonb_typeof(f.value), false)
  limit 1;
  if not found then
    return;
  elsif v_wrong.item_type <> 'object' then
    raise exception '% % is a JSON %, not an object', v_wrong.item_name, v_wrong.ordinality, v_wrong.item_type
      using errcode = '22023', hint = 'Send an array of objects, not of strings that hold JSON.';
  elsif v_wrong.allowed is null then
    raise exception '% % has an unknown key "%"', v_wrong.item_name,
                    coalesce('"' || left(v_wrong.external_id, 100) || '"', v_wrong.ordinality::text),
                    left(v_wrong.key, 100)
      using errcode = '22023',
            -- The former names stand here because every session would have to plan a declared constant.
            hint = coalesce('It is called ' || ('{"segments": "turns"}'::jsonb ->> v_wrong.key) || ' now.',
                            braid_store.absent_part_hint('fields', v_wrong.key),
                            'The keys are: '
                            || (select string_agg(k, ', ' order by k)
                              from jsonb_object_keys(check_fields.field_types) k)
                            || '.');
  else
    raise exception '% of % % is a JSON %', v_wrong.key, v_wrong.item_name,
                    coalesce('"' || left(v_wrong.external_id, 100) || '"', v_wrong.ordinality::text), v_wrong.type
      using errcode = '22023',
            hint = format('Give %s.', (select string_agg(case when t = 'null' then t when t ~ '^[ao]' then 'an ' || t
              else 'a ' || t end,
                                                         ' or ')
                                       from jsonb_array_elements_text(v_wrong.allowed) t));
  end if;
end
$$;

comment on function braid_store.check_fields(jsonb[], text[], jsonb) is
  'Raise 22023 for an element of a list that is not an object, or that has an unknown key or a value of the wrong JSON '
  'type. field_types: for each key the types allowed. item_names: what an error calls an element of each list.';
