create or replace function braid_store.find_filtered(
  filter braid_store.filter,
  tenant_id int,
  collection_id int,
  candidate_count int,
  posting_count bigint,
  asks_text boolean,
  asks_semantic boolean,
  filters jsonb
)
returns braid_store.filter
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  -- In a collection of fewer chunks, every way is fast.
  c_few_chunks constant int := 2000;
  -- If an index gives at most this many chunks, they are handed over at once. Measuring how many of them pass would
  -- cost more than it saves.
  c_few_given constant int := 400;
  -- At most this many chunks are read from an index before the share that passes is known.
  c_at_once constant int := 2500;
  -- At most c_most chunks are handed over. If the only reason is to avoid a second scan of the vector index, the limit
  -- is c_most_rescanned.
  c_most constant int := 30000;
  c_most_rescanned constant int := 20000;
  -- One scan is enough if it finds 1.1 times three quarters of candidate_count vectors that pass (see
  -- indexed_candidates()). The widest scan reads 1000 vectors, so it is not enough if a share below candidate_count /
  -- c_scanned passes.
  c_scanned constant float8 := 1200;
  -- Costs for each chunk: c_tested_… if a leg finds and tests it, c_given if a leg is given it. The unit is the cost
  -- for each chunk of reading all chunks, half a microsecond.
  c_tested_text constant float8 := 16;
  c_tested_semantic constant float8 := 50;
  c_given constant float8 := 4;
  -- A filter that looks up another row takes longer to test.
  c_read constant float8 := case when filter.predicate like '%exists (%' then 20 else 1 end;
  v_leg_count int := asks_text::int + asks_semantic::int;
  v_text_cost float8 := case when asks_text then c_tested_text else 0 end;
  v_semantic_cost float8 := case when asks_semantic then c_tested_semantic else 0 end;
  v_cost float8 := v_text_cost + v_semantic_cost;
  v_read_cost float8;
  v_chunk_count float8;
  v_max_count int;
  v_max_share float8;
  v_chunk_ids bigint[];
  v_listed_count bigint;
  v_limit int; -- the most chunks that are read from an index at first
  v_is_given boolean := false;
  v_is_listed boolean := false; -- True if the lists gave the share.
begin
  if filter.is_empty or filter.among is not null or v_leg_count = 0 then
    return filter;
  end if;
  select coalesce(sum(s.chunk_count), 0) into v_chunk_count
  from braid_store.segments s
  where s.tenant_id = find_filtered.tenant_id and s.collection_id = find_filtered.collection_id;
  if v_chunk_count < c_few_chunks then
    filter.share := 1;
    return filter;
  end if;

  -- A leg that tests what it finds tests candidate_count / share chunks. At v_max_count given chunks, both ways cost
  -- the same.
  v_max_count := greatest(
    c_few_given, least(c_most, sqrt(v_cost / (c_given * v_leg_count) * candidate_count * v_chunk_count)));
  if asks_semantic then
    v_max_count := greatest(v_max_count, least(c_most_rescanned, candidate_count * v_chunk_count / c_scanned));
  else
    -- Full text tests at most the chunks that have a word of the query.
    v_max_count := least(v_max_count, v_text_cost / c_given * posting_count);
  end if;
  if filter.source is not null then
    -- If a part or an earlier round knows the share, the index is read once, or not at all.
    v_limit := case when filter.share is null then least(v_max_count, c_at_once)
                    when filter.share * v_chunk_count <= v_max_count then v_max_count end;
    if v_limit is not null then
      v_chunk_ids := braid_store.source_chunk_ids(filter, v_limit);
      v_is_given := cardinality(v_chunk_ids) <= v_limit;
    end if;
    if not v_is_given then
      -- The lists know the exact number that pass, a sample only an estimate.
      filter.lists := braid_store.listed_conditions(filters);
    end if;
  end if;
  if not v_is_given and filter.lists is not null then
    select l.chunk_ids, l.listed_count into v_chunk_ids, v_listed_count
    from braid_store.listed_chunk_ids(filter, tenant_id, collection_id, v_max_count) l;
    v_is_given := v_chunk_ids is not null;
    if not v_is_given and v_listed_count is not null and (filter.lists ->> 'is_all')::boolean then
      filter.share := coalesce(filter.share, least(v_listed_count / v_chunk_count, 1));
      v_is_listed := true;
    end if;
  end if;
  if not v_is_given then
    -- The next round of a search that needs more candidates reuses this share.
    filter.share := coalesce(
      filter.share, braid_store.filter_share(braid_store.sampled_chunk_ids(tenant_id, collection_id, 64), tenant_id,
        filter));
    if filter.share * v_chunk_count > 2 * v_max_count then
      return filter;
    end if;
    if filter.source is not null and v_limit < v_max_count
       and (v_is_listed and v_listed_count > v_max_count) is not true then
      v_chunk_ids := braid_store.source_chunk_ids(filter, v_max_count);
      v_is_given := cardinality(v_chunk_ids) <= v_max_count;
    end if;
  end if;
  if v_is_given then
    -- If the chunks are few, or most of them pass the filter, hand over all of them. The legs then test only the chunks
    -- that they return.
    filter.among := case
      when cardinality(v_chunk_ids) <= c_few_given
           or coalesce(filter.share * v_chunk_count / cardinality(v_chunk_ids), braid_store.filter_share(
                array(select v_chunk_ids[1 + n * cardinality(v_chunk_ids) / 32] from generate_series(0, 31) n),
                tenant_id, filter)) > 0.5 then v_chunk_ids
      else braid_store.filtered_among(v_chunk_ids, tenant_id, filter) end;
    return filter;
  end if;

  -- Without an index, all chunks are read if the legs would pay more for testing. This holds for a share of at most
  -- v_max_share, which a larger sample has to confirm.
  v_read_cost := c_read * v_chunk_count;
  v_max_share := v_cost * candidate_count / v_read_cost;
  if asks_text and posting_count < candidate_count / v_max_share and v_text_cost * posting_count < v_read_cost then
    v_max_share := v_semantic_cost * candidate_count / (v_read_cost - v_text_cost * posting_count);
  end if;
  v_max_share := least(v_max_share, v_max_count / v_chunk_count);
  if v_max_share > 0 and filter.share <= 2 * v_max_share then
    if not v_is_listed then
      filter.share := braid_store.filter_share(braid_store.sampled_chunk_ids(tenant_id, collection_id, 250), tenant_id,
        filter);
    end if;
    if filter.share <= v_max_share then
      v_chunk_ids := braid_store.filtered_by_reading(filter, tenant_id, collection_id, v_max_count);
      if cardinality(v_chunk_ids) <= v_max_count then
        filter.among := v_chunk_ids;
      end if;
    end if;
  end if;
  return filter;
end
$$;

comment on function braid_store.find_filtered(braid_store.filter, int, int, int, bigint, boolean, boolean, jsonb) is
  'Find out, once for both legs of a search, which share of the chunks passes its filter and, if they are few, which '
  'chunks pass. among stays null if it is cheaper for the legs to test what they find. candidate_count: how many '
  'candidates each leg looks for. posting_count: how many postings full text has to read at most. filters: what the '
  'filter was compiled from; null if the filter has additional conditions.';
