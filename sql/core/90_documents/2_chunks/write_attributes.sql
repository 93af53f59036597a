create or replace function braid_store.write_attributes(
  tenant_id int,
  collection_id int,
  chunk_ids bigint[],
  are_new boolean default false
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_ids int[];
  v_names text[];
  v_types text[];
begin
  select array_agg(a.id), array_agg(a.name), array_agg(a.type) into v_ids, v_names, v_types
  from braid_store.indexed_attributes a
  where a.collection_id = write_attributes.collection_id and a.removed_at is null;
  if v_ids is null then
    return;
  end if;

  if not write_attributes.are_new then
    -- Look up each chunk's rows by id: for a list, PostgreSQL 16, without statistics, would read all rows of the
    -- tenant.
    delete from braid_store.chunk_attributes a
    where a.tenant_id + 0 = write_attributes.tenant_id and a.ctid = any (array(
      select a.ctid
      from unnest(write_attributes.chunk_ids) u (chunk_id),
           lateral (
             select a.ctid, a.attribute_id from braid_store.chunk_attributes a
             where a.tenant_id = write_attributes.tenant_id and a.chunk_id between u.chunk_id and u.chunk_id
             order by a.chunk_id
             offset 0
           ) a
      where a.attribute_id = any (v_ids)));
  end if;
  insert into braid_store.chunk_attributes (tenant_id, collection_id, chunk_id, attribute_id, element, text_value,
                                            number_value)
  select write_attributes.tenant_id, write_attributes.collection_id, c.id, f.id,
         case when v.is_element then row_number() over (partition by c.id, f.id) else 0 end, v.text_value,
           v.number_value
  from unnest(write_attributes.chunk_ids) u (chunk_id),
       lateral (
         select c.id, c.metadata from braid_store.chunks c
         where c.tenant_id = write_attributes.tenant_id and c.id between u.chunk_id and u.chunk_id
         order by c.id
         offset 0
       ) c,
       unnest(v_ids, v_names, v_types) f (id, name, type),
       -- Find the value as braid_store.filter_metadata_field does.
       lateral (
         select coalesce(c.metadata -> f.name,
                         case when position('.' in f.name) > 0
                              then coalesce(c.metadata #> string_to_array(f.name, '.'),
                                            braid_store.listed_values(c.metadata, string_to_array(f.name,
                                              '.'))) end) as value
         offset 0
       ) m,
       lateral (
         select distinct jsonb_typeof(m.value) = 'array' as is_element,
                -- A key of an index takes at most a third of a page.
                case when f.type <> 'number' then left(e.value #>> '{}', 200) end collate "C" as text_value,
                case when f.type = 'number' then braid_store.attribute_number((e.value #>> '{}')::numeric)
                  end as number_value
         from jsonb_array_elements(case jsonb_typeof(m.value) when 'array' then m.value
           else jsonb_build_array(m.value) end) e
         where jsonb_typeof(e.value) = case f.type when 'number' then 'number' else 'string' end
         offset 0
       ) v
  where m.value is not null;
end
$$;

comment on function braid_store.write_attributes(int, int, bigint[], boolean) is
  'Write the rows of indexed attributes for chunks from their metadata, and replace the present rows; are_new says '
  'that there are none. The caller sets the chunks'' attribute_version to a version that it read before this call.';
