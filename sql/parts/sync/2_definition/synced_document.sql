-- role: service
create or replace function braid_store.synced_document(relation regclass, fields jsonb)
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select format('jsonb_build_object(%s)', string_agg(format('%L, %s', f.key, case f.key
    when 'content' then (
      select format('concat_ws(repeat(chr(10), 2), %s)', string_agg(braid_store.synced_value(c.value),
        ', ' order by c.ordinality))
      from jsonb_array_elements_text(f.value) with ordinality c)
    when 'metadata' then (
      select format('(select coalesce(jsonb_object_agg(m.key, m.value) filter (where m.value <> ''null''), ''{}'') '
                    'from jsonb_each(jsonb_build_object(%s)) m)', string_agg(
        format('%L, to_jsonb(%s%s)', c.value, braid_store.synced_value(c.value),
               case braid_store.synced_column_category(relation, c.value)
                 when 'integer' then '::numeric' when 'number' then '::numeric' when 'boolean' then '::boolean'
                 when 'json' then '::jsonb' when 'numbers' then '::numeric[]' when 'array' then '::text[]'
                 else '' end), ', ' order by c.ordinality))
      from jsonb_array_elements_text(f.value) with ordinality c)
    when 'importance' then braid_store.synced_value(f.value ->> 0) || '::float8'
    when 'access' then case braid_store.synced_column_category(relation, f.value ->> 0)
      when 'array' then format('to_jsonb((%s)::text[])', braid_store.synced_value(f.value ->> 0))
      when 'json' then format('(%s)::jsonb', braid_store.synced_value(f.value ->> 0))
      else format('case when t.%I is distinct from null then jsonb_build_array(%s) end', f.value ->> 0,
                  braid_store.synced_value(f.value ->> 0)) end
    when 'occurred_at' then braid_store.synced_value(f.value ->> 0) || '::timestamptz'
    else braid_store.synced_value(f.value ->> 0) end), ', ' order by f.key) filter (where f.key <> 'turns'))
         || coalesce(' || ' || max(format('braid_store.transcript_fields(%s, %s)',
           braid_store.synced_value(f.value ->> 0),
                                          case braid_store.synced_column_category(relation, f.value ->> 0)
                                            when 'json' then 'true' else 'false' end))
                               filter (where f.key = 'turns'), '')
  from jsonb_each(synced_document.fields) f
  where f.key not in ('id', 'tenant_column', 'filter');
$$;

comment on function braid_store.synced_document(regclass, jsonb) is
  'Return SQL that makes the document of a row t of a synced table, without its external_id. The SQL runs no code '
  'but PostgreSQL''s own: see synced_value.';
