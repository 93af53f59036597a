create or replace function braid_store.check_fields(items jsonb, item_name text, field_types jsonb)
returns void
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_item record;
  v_field record;
begin
  select i.ordinality, jsonb_typeof(i.value) as type into v_item
  from jsonb_array_elements(check_fields.items) with ordinality i
  where jsonb_typeof(i.value) <> 'object'
  limit 1;
  if found then
    raise exception '% % is a JSON %, not an object', check_fields.item_name, v_item.ordinality, v_item.type
      using errcode = '22023', hint = 'Send an array of objects, not of strings that hold JSON.';
  end if;

  select i.ordinality, i.value ->> 'external_id' as external_id, f.key, jsonb_typeof(f.value) as type,
         check_fields.field_types -> f.key as allowed
  into v_field
  from jsonb_array_elements(check_fields.items) with ordinality i, jsonb_each(i.value) f
  where not coalesce(check_fields.field_types -> f.key ? jsonb_typeof(f.value), false)
  limit 1;
  if not found then
    return;
  elsif v_field.allowed is null then
    raise exception '% % has an unknown key "%"', check_fields.item_name,
                    coalesce('"' || left(v_field.external_id, 100) || '"', v_field.ordinality::text),
                    left(v_field.key, 100)
      using errcode = '22023',
            hint = 'The keys are: '
                   || (select string_agg(k, ', ' order by k) from jsonb_object_keys(check_fields.field_types) k) || '.';
  else
    raise exception '% of % % is a JSON %', v_field.key, check_fields.item_name,
                    coalesce('"' || left(v_field.external_id, 100) || '"', v_field.ordinality::text), v_field.type
      using errcode = '22023',
            hint = format('Give %s.', (select string_agg(t, ' or ') from jsonb_array_elements_text(v_field.allowed) t));
  end if;
end
$$;

comment on function braid_store.check_fields(jsonb, text, jsonb) is
  'Raises 22023 for an element that is no object, or that has a key or a JSON type not in field_types.';
