create or replace function braid_store.undeclared_attributes(filters jsonb, collection_id int)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- As in filter_source, an index helps with and-ed conditions that name values or a range.
  with recursive filter as (
    select undeclared_attributes.filters as value
    union all
    select m.value
    from filter f, jsonb_array_elements(case jsonb_typeof(f.value) when 'object' then f.value -> '$and' end) m
  ), condition as (
    select regexp_replace(e.key, E'^metadata\\.', '') as name,
           -- An index has values of one type.
           (select case when min(jsonb_typeof(v)) = max(jsonb_typeof(v))
                        then case min(jsonb_typeof(v)) when 'number' then 'number' when 'string' then 'text' end end
            from jsonb_array_elements(case jsonb_typeof(o.value) when 'array' then o.value
                                                                 else jsonb_build_array(o.value) end) v) as type
    from filter f,
         jsonb_each(case jsonb_typeof(f.value) when 'object' then f.value else '{}' end) e,
         jsonb_each(braid_store.indexable_operators(e.value)) o
    where not e.key ^@ '$'
      and e.key not in ('speaker', 'category', 'language', 'importance', 'occurred_at', 'external_id', 'source_uri')
  )
  select coalesce(jsonb_object_agg(braid_store.declared_key(c.name), c.type), '{}')
  from condition c
  where c.type is not null and octet_length(c.name) <= 255
    and not exists (
      select from braid_store.indexed_attributes a
      where a.collection_id = undeclared_attributes.collection_id and a.removed_at is null
        and a.name = c.name collate "C");
$$;

comment on function braid_store.undeclared_attributes(jsonb, int) is
  'Return the metadata keys of a filter that are not declared but could be, and for which an index would help. Each '
  'key is returned in the form to declare, with its type: {"year": "number"}.';
