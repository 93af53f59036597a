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
-- Memoize would hash whole lists.
set enable_memoize = off
as $$
#variable_conflict use_column
declare
  -- At most this many chunks that are in no list are tested one by one. With more, reading all chunks is as fast.
  c_most_unlisted constant int := 20000;
  c_sample_size constant int := 32;
  c_few_texts constant int := 16;
  v_segment_ids bigint[] := array(
    select s.id from braid_store.segments s
    where s.tenant_id = listed_chunk_ids.tenant_id and s.collection_id = listed_chunk_ids.collection_id
      and s.listed_count > 0);
  v_condition jsonb;
  v_spans record;
  v_found record;
  v_best record;
  v_unlisted_ids bigint[];
begin
  if cardinality(v_segment_ids) = 0 then
    return;
  end if;
  -- Find the places of each condition's values in the lists. The condition with the fewest chunks is used.
  for v_condition in select c from jsonb_array_elements(listed_chunk_ids.filter.lists -> 'conditions') c loop
    select array_agg(s.type) as types, array_agg(distinct s.type) as list_types,
           array_agg(case when s.type = 'number'
             then braid_store.attribute_number((s.low #>> '{}')::numeric) end) as low_numbers,
           array_agg(case when s.type = 'number'
             then braid_store.attribute_number((s.high #>> '{}')::numeric) end) as high_numbers,
           array_agg(left(s.low #>> '{}', 64) collate "C") as low_texts,
           array_agg(left(s.high #>> '{}', 64) collate "C") as high_texts,
           count(*) filter (where s.type = 'text') > c_few_texts
             and bool_and(s.low = s.high) filter (where s.type = 'text') as are_many_texts
    into v_spans
    from (
      select s.type, s.low, s.high from jsonb_to_recordset(v_condition -> 'spans') s (type text, low jsonb, high jsonb)
      union all
      select t.type, null, null from (values ('any'), ('rest')) t (type)
    ) s;
    select array_agg(l.segment_id) as segment_ids, array_agg(l.key) as keys, array_agg(l.type) as types,
           array_agg(l.block) as blocks, array_agg(p.first) as firsts, array_agg(p.last) as lasts,
           coalesce(sum(p.last - p.first), 0) as count
    into v_found
    from unnest(v_spans.list_types) t (type),
    lateral (
      -- array_cat fetches an array once for all spans.
      select l.segment_id, l.key, l.type, l.block, array_cat(l.number_values, '{}') as number_values,
             array_cat(l.text_values, '{}') as text_values, array_cat(l.value_ends, '{}') as value_ends
      from unnest(v_segment_ids) u (segment_id),
           lateral (
             select l.* from braid_store.metadata_lists l
             where l.tenant_id = listed_chunk_ids.tenant_id and l.collection_id = listed_chunk_ids.collection_id
               and l.segment_id = u.segment_id and l.type = t.type
               and l.key = case when t.type = 'rest' then '' else v_condition ->> 'key' end
             offset 0
           ) l
      offset 0
    ) l,
    lateral (
      select coalesce(l.value_ends[w.below], 0) as first,
             case when w.within = 0 then 0 else coalesce(l.value_ends[w.within],
               l.value_ends[cardinality(l.value_ends)]) end as last
      from unnest(v_spans.types, v_spans.low_numbers, v_spans.high_numbers, v_spans.low_texts, v_spans.high_texts)
             o (type, low_number, high_number, low_text, high_text),
           lateral (
             -- Count the values below the span, and the values below or in it. Both counts are places in the list,
             -- which is sorted.
             select case when o.type = 'number' then width_bucket(o.low_number, l.number_values)
                                                     - (l.number_values[width_bucket(o.low_number,
                                                       l.number_values)] = o.low_number)::int
                         else width_bucket(o.low_text, l.text_values)
                              - (l.text_values[width_bucket(o.low_text, l.text_values)] = o.low_text)::int end as below,
                    case when o.type = 'number' then width_bucket(o.high_number, l.number_values)
                         else width_bucket(o.high_text, l.text_values) end as within
             offset 0
           ) w
      where o.type = l.type and (l.type <> 'text' or not v_spans.are_many_texts)
      union all
      -- Looking up a text in an array takes as long as reading the array, so long lists of texts are looked up in one
      -- pass.
      select coalesce(l.value_ends[e.place - 1], 0), l.value_ends[e.place]
      from unnest(case when l.type = 'text' and v_spans.are_many_texts then l.text_values end) with ordinality e (value,
        place)
      where case when e.value in (select unnest(v_spans.low_texts)) then true else false end
    ) p
    where p.first < p.last;
    if listed_count is null or v_found.count < listed_count then
      v_best := v_found;
      listed_count := v_found.count;
    end if;
  end loop;
  if listed_count > listed_chunk_ids.max_count then
    -- Texts that begin alike are listed as one, and so are long arrays, so perhaps few of their chunks pass. A sample
    -- spread over all of them gives the share.
    if (listed_chunk_ids.filter.lists ->> 'is_all')::boolean then
      listed_count := listed_count * braid_store.filter_share(array(
        select l.chunk_ids[p.place]
        from (
          -- The places are grouped by list, so that each list is fetched once.
          select u.segment_id, u.key, u.type, u.block,
            array_agg(u.first + 1 + n.place - (u.ends - (u.last - u.first))) as places
          from (
            select u.*, sum(u.last - u.first) over (order by u.ordinality) as ends
            from unnest(v_best.segment_ids, v_best.keys, v_best.types, v_best.blocks, v_best.firsts, v_best.lasts)
                   with ordinality u (segment_id, key, type, block, first, last, ordinality)
          ) u,
          lateral (
            select (k * listed_count / c_sample_size)::int as place
            from generate_series(ceil((u.ends - (u.last - u.first)) * c_sample_size::float8 / listed_count)::int,
                                 ceil(u.ends * c_sample_size::float8 / listed_count)::int - 1) k
            offset 0
          ) n
          group by u.segment_id, u.key, u.type, u.block
        ) u,
        lateral (
          select array_cat(l.chunk_ids, '{}') as chunk_ids from braid_store.metadata_lists l
          where l.tenant_id = listed_chunk_ids.tenant_id and l.collection_id = listed_chunk_ids.collection_id
            and l.segment_id = u.segment_id and l.key = u.key and l.type = u.type and l.block = u.block
          offset 0
        ) l,
        unnest(u.places) p (place)), listed_chunk_ids.tenant_id, listed_chunk_ids.filter);
    end if;
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
      select unnest(l.chunk_ids[p.first + 1 : p.last]) as chunk_id
      from (
             select u.segment_id, u.key, u.type, u.block, array_agg(u.first) as firsts, array_agg(u.last) as lasts
             from unnest(v_best.segment_ids, v_best.keys, v_best.types, v_best.blocks, v_best.firsts, v_best.lasts)
                    u (segment_id, key, type, block, first, last)
             group by u.segment_id, u.key, u.type, u.block
           ) u,
           lateral (
             select array_cat(l.chunk_ids, '{}') as chunk_ids from braid_store.metadata_lists l
             where l.tenant_id = listed_chunk_ids.tenant_id and l.collection_id = listed_chunk_ids.collection_id
               and l.segment_id = u.segment_id and l.key = u.key and l.type = u.type and l.block = u.block
             offset 0
           ) l,
           unnest(u.firsts, u.lasts) p (first, last)
      union all
      select unnest(v_unlisted_ids)
    ) c
    order by c.chunk_id);
  if cardinality(chunk_ids) > listed_chunk_ids.max_count then
    listed_count := null;
    chunk_ids := null;
  end if;
end
$$;

comment on function braid_store.listed_chunk_ids(braid_store.filter, int, int, int) is
  'Return, from the lists of metadata values, up to max_count chunks in ascending order, which include all chunks '
  'that pass a filter with lists. chunk_ids is null if there are more, or if the lists lack too many chunks. If '
  'there are more, listed_count estimates how many chunks pass a filter that is_all; for other filters it is the '
  'count of the condition with the fewest chunks. listed_count is null if nothing is known.';
