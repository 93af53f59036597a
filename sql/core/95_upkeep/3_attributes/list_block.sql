create or replace function braid_store.list_block(tenant_id int, collection_id int, segment_id bigint, block int)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
set work_mem = '64MB'
as $$
#variable_conflict use_column
declare
  c_block_size constant int := 16384;
  -- Smaller segments have no lists: has_due_lists, which uses the same number, explains why.
  c_least_listed constant int := 1000;
  c_most_keys constant int := 500;
  c_most_elements constant int := 64;
  -- listed_conditions answers no condition on a deeper key.
  c_most_depth constant int := 8;
  c_most_fields constant int := 100;
  c_most_parts constant int := 500;
  -- Listing larger metadata would write all of it to disk several times.
  c_most_bytes constant int := 16384;
  v_chunk_count int;
  v_is_wide boolean;
begin
  -- Merges and other maintenance skip a locked segment.
  select s.chunk_count into v_chunk_count
  from braid_store.segments s
  where s.tenant_id = list_block.tenant_id and s.collection_id = list_block.collection_id
    and s.id = list_block.segment_id
  for no key update skip locked;
  if not found then
    return null;
  end if;
  -- Metadata with very many fields or elements takes too long to list; its chunks are listed as having any value. One
  -- chunk in 256 is the sample that decides.
  v_is_wide := coalesce((
    select avg(regexp_count(c.metadata::text, '": ')) > c_most_fields or avg(regexp_count(c.metadata::text,
      ', ')) > c_most_parts
    from generate_series(list_block.block * c_block_size + 1, (list_block.block + 1) * c_block_size,
      256) n (chunk_number),
         lateral (
           select sc.chunk_id from braid_store.segment_chunks sc
           where sc.tenant_id = list_block.tenant_id and sc.collection_id = list_block.collection_id
             and sc.segment_id = list_block.segment_id and sc.chunk_number = n.chunk_number
           offset 0
         ) sc,
         lateral (
           select c.metadata from braid_store.chunks c
           where c.tenant_id = list_block.tenant_id and c.id = sc.chunk_id
           offset 0
         ) c), false);
  delete from braid_store.metadata_lists l
  where l.tenant_id + 0 = list_block.tenant_id and l.ctid = any (array(
    select l.ctid from braid_store.metadata_lists l
    where l.tenant_id = list_block.tenant_id and l.collection_id = list_block.collection_id
      and l.segment_id = list_block.segment_id and l.block = list_block.block));

  -- One statement has one snapshot, so it forgets the changes of exactly the metadata that it lists.
  with recursive chunk as materialized (
    -- Adding an empty object decompresses the metadata, so its whole size is measured.
    select c.id, c.metadata, pg_column_size(c.metadata || '{}') > c_most_bytes or v_is_wide as is_wide
    from (
      select sc.chunk_id from braid_store.segment_chunks sc
      where sc.tenant_id = list_block.tenant_id and sc.collection_id = list_block.collection_id
        and sc.segment_id = list_block.segment_id
        and sc.chunk_number > list_block.block * c_block_size and sc.chunk_number <= (list_block.block + 1)
          * c_block_size
      offset 0
    ) sc,
    lateral (
      select c.id, c.metadata from braid_store.chunks c
      where c.tenant_id = list_block.tenant_id and c.id = sc.chunk_id
      offset 0
    ) c
  ), forgotten as (
    delete from braid_store.changed_metadata g
    where g.tenant_id + 0 = list_block.tenant_id and g.ctid = any (array(
      select g.ctid
      from chunk c,
           lateral (
             select g.ctid from braid_store.changed_metadata g
             where g.tenant_id = list_block.tenant_id and g.collection_id = list_block.collection_id
               and g.chunk_id = c.id
             offset 0
           ) g))
  ), field as (
    -- The fields of objects are listed, too, also inside lists, under the key that a filter uses for them.
    select c.id, e.key, e.value, 1 as depth, false as is_in_list
    from chunk c, jsonb_each(c.metadata) e
    where v_chunk_count >= c_least_listed and not c.is_wide
    union all
    select f.id, f.key || '.' || e.key, e.value, f.depth + 1, f.is_in_list or jsonb_typeof(f.value) = 'array'
    from field f,
         lateral (
           select f.value where jsonb_typeof(f.value) = 'object'
           union all
           select o.value
           from jsonb_array_elements(case when jsonb_typeof(f.value) = 'array'
             and jsonb_array_length(f.value) <= c_most_elements
                                          then f.value else '[]' end) o
           where jsonb_typeof(o.value) = 'object'
         ) o (value),
         jsonb_each(o.value) e
    where f.depth < c_most_depth
  ), listed_key as materialized (
    select k.key
    from (select f.key, count(*) from field f where octet_length(f.key) <= 255 group by f.key) k (key, count)
    order by k.count desc, k.key
    limit c_most_keys
  ), element as materialized (
    select f.id, f.key, case jsonb_typeof(f.value) when 'string' then 'text' else jsonb_typeof(f.value) end as type,
           case when jsonb_typeof(f.value) = 'number' then braid_store.attribute_number(f.value::numeric)
             end as number_value,
           case when jsonb_typeof(f.value) <> 'number' then left(f.value #>> '{}', 64) end collate "C" as text_value
    from field f
    where jsonb_typeof(f.value) in ('string', 'number', 'boolean') and f.key in (select k.key from listed_key k)
      and not f.is_in_list
    union all
    select f.id, f.key, v.type, v.number_value, v.text_value
    from field f,
         lateral (
           select 'any' as type, null::float8 as number_value, null as text_value
           where jsonb_array_length(f.value) > c_most_elements
           union all
           select distinct case jsonb_typeof(e.value) when 'string' then 'text' else jsonb_typeof(e.value) end,
                  case when jsonb_typeof(e.value) = 'number' then braid_store.attribute_number(e.value::numeric) end,
                  case when jsonb_typeof(e.value) <> 'number' then left(e.value #>> '{}', 64) end
           from jsonb_array_elements(case when jsonb_array_length(f.value) <= c_most_elements then f.value
             else '[]' end) e
           where jsonb_typeof(e.value) in ('string', 'number', 'boolean')
           offset 0
         ) v
    where jsonb_typeof(f.value) = 'array' and f.key in (select k.key from listed_key k) and not f.is_in_list
    union all
    -- Several objects of a list may have the same value.
    select distinct f.id, f.key, v.type, v.number_value, v.text_value
    from field f,
         lateral (
           select 'any' as type, null::float8 as number_value, null as text_value
           where jsonb_typeof(f.value) = 'array' and jsonb_array_length(f.value) > c_most_elements
           union all
           select case jsonb_typeof(e.value) when 'string' then 'text' else jsonb_typeof(e.value) end,
                  case when jsonb_typeof(e.value) = 'number' then braid_store.attribute_number(e.value::numeric) end,
                  case when jsonb_typeof(e.value) <> 'number' then left(e.value #>> '{}', 64) end
           from jsonb_array_elements(case when jsonb_typeof(f.value) <> 'array' then jsonb_build_array(f.value)
                                          when jsonb_array_length(f.value) <= c_most_elements then f.value
                                            else '[]' end) e
           where jsonb_typeof(e.value) in ('string', 'number', 'boolean')
           offset 0
         ) v
    where f.is_in_list and f.key in (select k.key from listed_key k)
    union all
    select distinct f.id, '', 'rest', null::float8, null
    from field f
    where f.key not in (select k.key from listed_key k)
      or jsonb_typeof(f.value) = 'array' and jsonb_array_length(f.value) > c_most_elements and f.value @? '$[*].*'
    union all
    select c.id, '', 'rest', null, null
    from chunk c
    where v_chunk_count >= c_least_listed and c.is_wide
  ), counted as (
    select e.key, e.type, e.number_value, e.text_value, count(*) as count
    from element e
    group by e.key, e.type, e.number_value, e.text_value
  ), list as (
    select v.key, v.type, array_agg(v.number_value order by v.number_value) as number_values,
           array_agg(v.text_value order by v.text_value) as text_values,
           array_agg(v.value_end::int order by v.number_value, v.text_value) as value_ends
    from (
      select c.*, sum(c.count) over (partition by c.key, c.type order by c.number_value, c.text_value) as value_end
      from counted c
    ) v
    group by v.key, v.type
  )
  insert into braid_store.metadata_lists (tenant_id, collection_id, segment_id, key, type, block, number_values,
    text_values,
                                          value_ends, chunk_ids)
  select list_block.tenant_id, list_block.collection_id, list_block.segment_id, i.key, i.type, list_block.block,
         case when i.type = 'number' then l.number_values end, case when i.type in ('text', 'boolean')
           then l.text_values end,
         l.value_ends, i.chunk_ids
  from (
    select e.key, e.type, array_agg(e.id order by e.number_value, e.text_value, e.id) as chunk_ids
    from element e
    group by e.key, e.type
  ) i
  join list l on l.key = i.key and l.type = i.type;

  update braid_store.segments s
  set listed_count = least(s.chunk_count, (list_block.block + 1) * c_block_size)
  where s.tenant_id = list_block.tenant_id and s.collection_id = list_block.collection_id
    and s.id = list_block.segment_id
    and s.listed_count = list_block.block * c_block_size and s.chunk_count >= c_least_listed;
  return case when v_chunk_count >= c_least_listed then least(c_block_size, v_chunk_count - list_block.block
    * c_block_size)
              else 0 end;
end
$$;

comment on function braid_store.list_block(int, int, bigint, int) is
  'List the metadata values of a block of 16384 chunks in a segment, and forget that they were changed. Block 0 has '
  'the lowest chunk numbers. A small segment is not listed. Return the number of chunks listed; null if another '
  'session works on the segment.';
