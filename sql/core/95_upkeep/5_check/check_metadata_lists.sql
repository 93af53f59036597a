create or replace function braid_store.check_metadata_lists(tenant_id int, collection_id int)
returns table (problem text, chunk_id bigint, detail text)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_segment record;
begin
  for v_segment in
    select s.id, s.listed_count from braid_store.segments s
    where s.tenant_id = check_metadata_lists.tenant_id and s.collection_id = check_metadata_lists.collection_id
      and s.listed_count > 0
    order by s.id
  loop
    return query
    with list as materialized (
      select l.* from braid_store.metadata_lists l
      where l.tenant_id = check_metadata_lists.tenant_id and l.collection_id = check_metadata_lists.collection_id
        and l.segment_id = v_segment.id
    )
    -- Additional entries of a list do no harm, because searches test them.
    select 'metadata list lacks chunk', u.id, format('segment %s, key %s', v_segment.id, to_json(u.key))
    from (
      select c.id, e.key,
             case jsonb_typeof(e.value) when 'string' then 'text' else jsonb_typeof(e.value) end as type,
             case jsonb_typeof(e.value) when 'number' then braid_store.attribute_number((e.value #>> '{}')::numeric)
               end as number_value,
             case when jsonb_typeof(e.value) <> 'number' then left(e.value #>> '{}', 64) end as text_value
      from (
        select sc.chunk_id from braid_store.segment_chunks sc
        where sc.tenant_id = check_metadata_lists.tenant_id and sc.collection_id = check_metadata_lists.collection_id
          and sc.segment_id = v_segment.id and sc.chunk_number <= v_segment.listed_count
        offset 0
      ) sc,
      lateral (
        select c.id, c.metadata from braid_store.chunks c
        where c.tenant_id = check_metadata_lists.tenant_id and c.id = sc.chunk_id
          and not exists (
            select from braid_store.changed_metadata g
            where g.tenant_id = check_metadata_lists.tenant_id and g.collection_id = check_metadata_lists.collection_id
              and g.chunk_id = sc.chunk_id
            offset 0)
        offset 0
      ) c,
      jsonb_each(c.metadata) e
      where jsonb_typeof(e.value) in ('string', 'number', 'boolean') and octet_length(e.key) <= 255
      except
      select i.id, v.key, v.type, v.number_value, v.text_value
      from (
        select l.key, l.type, l.chunk_ids, e.number_value, e.text_value, e.last,
               coalesce(lag(e.last) over (partition by l.key, l.type, l.block order by e.place), 0) as first
        from list l, unnest(l.number_values, l.text_values, l.value_ends) with ordinality e (number_value, text_value,
          last, place)
        where l.type in ('number', 'text', 'boolean')
      ) v,
      unnest(v.chunk_ids[v.first + 1 : v.last]) i (id)
    ) u
    where u.id not in (select unnest(l.chunk_ids) from list l where l.type = 'rest');
  end loop;
end
$$;

comment on function braid_store.check_metadata_lists(int, int) is
  'Find chunks that are missing in the lists of metadata values, for a value of their metadata.';
