create or replace function braid_store.listed_chunk_ids(
  filter braid_store.filter,
  tenant_id int,
  collection_id int,
  max_count int,
  out chunk_ids bigint[],
  out listed_count bigint
)
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
  -- So many chunks that are in no list are tested one by one. With more, to read all is as fast.
  c_most_unlisted constant int := 20000;
  v_segment_ids bigint[] := array(
    select s.id from braid_store.segments s
    where s.tenant_id = listed_chunk_ids.tenant_id and s.collection_id = listed_chunk_ids.collection_id and s.listed_count > 0);
  v_condition jsonb;
  v_found record;
  v_best record;
  v_unlisted_ids bigint[];
begin
  if cardinality(v_segment_ids) = 0 then
    return;
  end if;
  -- The places of each condition's values in the lists. The condition with the fewest chunks counts.
  for v_condition in select c from jsonb_array_elements(listed_chunk_ids.filter.lists -> 'conditions') c loop
    select array_agg(l.segment_id) as segment_ids, array_agg(l.key) as keys, array_agg(l.type) as types,
           array_agg(l.block) as blocks, array_agg(p.first) as firsts, array_agg(p.last) as lasts,
           coalesce(sum(p.last - p.first), 0) as count
    into v_found
    from (
      select s.type, case when s.type = 'number' then braid_store.attribute_number((s.low #>> '{}')::numeric) end as low_number,
             case when s.type = 'number' then braid_store.attribute_number((s.high #>> '{}')::numeric) end as high_number,
             left(s.low #>> '{}', 64) collate "C" as low_text, left(s.high #>> '{}', 64) collate "C" as high_text
      from jsonb_to_recordset(v_condition -> 'spans') s (type text, low jsonb, high jsonb)
      union all
      select t.type, null, null, null, null from (values ('any'), ('rest')) t (type)
      offset 0
    ) o,
    lateral (
      -- array_cat fetches an array, once.
      select l.segment_id, l.key, l.type, l.block, array_cat(l.number_values, '{}') as number_values,
             array_cat(l.text_values, '{}') as text_values, array_cat(l.value_ends, '{}') as value_ends
      from unnest(v_segment_ids) u (segment_id),
           lateral (
             select l.* from braid_store.metadata_lists l
             where l.tenant_id = listed_chunk_ids.tenant_id and l.collection_id = listed_chunk_ids.collection_id
               and l.segment_id = u.segment_id and l.type = o.type
               and l.key = case when o.type = 'rest' then '' else v_condition ->> 'key' end
             offset 0
           ) l
      offset 0
    ) l,
    lateral (
      -- How many values are below the span, or in it or below. Both are in the order of the list.
      select case when o.type = 'number' then width_bucket(o.low_number, l.number_values)
                                              - (l.number_values[width_bucket(o.low_number, l.number_values)] = o.low_number)::int
                  else width_bucket(o.low_text, l.text_values)
                       - (l.text_values[width_bucket(o.low_text, l.text_values)] = o.low_text)::int end as below,
             case when o.type = 'number' then width_bucket(o.high_number, l.number_values)
                  else width_bucket(o.high_text, l.text_values) end as within
      offset 0
    ) w,
    lateral (
      select coalesce(l.value_ends[w.below], 0) as first,
             case when w.within = 0 then 0 else coalesce(l.value_ends[w.within], l.value_ends[cardinality(l.value_ends)]) end as last
      offset 0
    ) p
    where p.first < p.last;
    if listed_count is null or v_found.count < listed_count then
      v_best := v_found;
      listed_count := v_found.count;
    end if;
  end loop;
  if listed_count > listed_chunk_ids.max_count then
    return;
  end if;

  v_unlisted_ids := array(
    select sc.chunk_id
    from (
      select s.id, s.listed_count from braid_store.segments s
      where s.tenant_id = listed_chunk_ids.tenant_id and s.collection_id = listed_chunk_ids.collection_id
        and not s.is_deletion and s.listed_count < s.chunk_count
      offset 0
    ) s,
    lateral (
      select sc.chunk_id from braid_store.segment_chunks sc
      where sc.tenant_id = listed_chunk_ids.tenant_id and sc.collection_id = listed_chunk_ids.collection_id
        and sc.segment_id = s.id and sc.chunk_number > s.listed_count
      offset 0
    ) sc
    limit c_most_unlisted + 1)
    || array(
    select g.chunk_id from braid_store.changed_metadata g
    where g.tenant_id = listed_chunk_ids.tenant_id and g.collection_id = listed_chunk_ids.collection_id
    limit c_most_unlisted + 1);
  if cardinality(v_unlisted_ids) > c_most_unlisted then
    listed_count := null;
    return;
  elsif cardinality(v_unlisted_ids) > 0 then
    v_unlisted_ids := braid_store.filtered_among(v_unlisted_ids, listed_chunk_ids.tenant_id, listed_chunk_ids.filter);
  end if;
  chunk_ids := array(
    select distinct c.chunk_id
    from (
      select unnest(l.chunk_ids[u.first + 1 : u.last]) as chunk_id
      from unnest(v_best.segment_ids, v_best.keys, v_best.types, v_best.blocks, v_best.firsts, v_best.lasts)
             u (segment_id, key, type, block, first, last),
           lateral (
             select l.chunk_ids from braid_store.metadata_lists l
             where l.tenant_id = listed_chunk_ids.tenant_id and l.collection_id = listed_chunk_ids.collection_id
               and l.segment_id = u.segment_id and l.key = u.key and l.type = u.type and l.block = u.block
             offset 0
           ) l
      union all
      select unnest(v_unlisted_ids)
    ) c
    order by c.chunk_id);
  if cardinality(chunk_ids) > listed_chunk_ids.max_count then
    chunk_ids := null;
  end if;
end
$$;

comment on function braid_store.listed_chunk_ids(braid_store.filter, int, int, int) is
  'Returns, from the lists of metadata values, up to max_count chunks in ascending order, among them all that pass a filter with '
  'lists; null if there are more, or if the lists lack too many chunks. listed_count: how many the lists have for the condition with '
  'the fewest, and so about how many pass at most; null if that is not known.';
