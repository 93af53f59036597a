create or replace function braid_store.completion_sample(
  tenant_id int,
  collection braid_store.collections,
  filter braid_store.filter,
  word text,
  context_words text[],
  max_count int
)
returns bigint[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  -- A filter is tested on c_first_tested chunks, and on more if fewer than c_few of them pass.
  c_first_tested constant int := 80;
  c_few constant int := 40;
  c_most_tested constant int := 240;
  -- If a filter has at most c_most_known chunks, c_most_listed chunks of the lists are looked up among them.
  c_most_known constant int := 4000;
  c_most_listed constant int := 400;
  v_chunk_count bigint := (
    select coalesce(sum(s.chunk_count), 0) from braid_store.segments s
    where s.tenant_id = completion_sample.tenant_id and s.collection_id = completion_sample.collection.id);
  v_known bigint[]; -- All chunks that pass the filter are among them.
  v_count int := case when filter.is_empty then max_count else c_most_tested end;
  v_chunk_ids bigint[];
  v_passing bigint[];
begin
  if v_chunk_count <= max_count then
    v_known := array(
      select sc.chunk_id from braid_store.segment_chunks sc
      where sc.tenant_id = completion_sample.tenant_id and sc.collection_id = completion_sample.collection.id);
  elsif filter.source is not null then
    v_known := braid_store.source_chunk_ids(filter, c_most_known);
  elsif filter.lists is not null then
    -- Without is_all, no share is estimated.
    filter.lists := filter.lists - 'is_all';
    v_known := (braid_store.listed_chunk_ids(filter, tenant_id, collection.id, c_most_known)).chunk_ids;
  end if;
  if cardinality(v_known) > c_most_known then
    v_known := null;
  end if;

  if cardinality(v_known) <= max_count then
    v_chunk_ids := v_known;
  else
    v_chunk_ids := braid_store.completion_postings(
      tenant_id, collection, word, context_words, v_chunk_count,
      case when v_known is null then v_count else c_most_listed end, v_known);
    if v_known is not null then
      v_chunk_ids := v_chunk_ids || array(
        select v_known[1 + n * cardinality(v_known)::bigint / max_count] from generate_series(0, max_count - 1) n);
    elsif v_chunk_ids is null then
      v_chunk_ids := braid_store.sampled_chunk_ids(tenant_id, collection.id, v_count);
    end if;
    v_chunk_ids := array(
      select u.chunk_id from unnest(v_chunk_ids) with ordinality u (chunk_id, place)
      group by u.chunk_id order by min(u.place) limit v_count);
  end if;
  if filter.is_empty then
    return v_chunk_ids[:max_count];
  end if;
  v_passing := braid_store.filtered_among(v_chunk_ids[:c_first_tested], tenant_id, filter);
  if cardinality(v_passing) < c_few and cardinality(v_chunk_ids) > c_first_tested then
    v_passing := v_passing || braid_store.filtered_among(v_chunk_ids[c_first_tested + 1:], tenant_id, filter);
  end if;
  return v_passing[:max_count];
end
$$;

comment on function braid_store.completion_sample(int, braid_store.collections, braid_store.filter, text, text[], int)
is
  'Return up to max_count chunks from whose texts a word is completed. Small collections and filters with few matches '
  'are taken whole. In other cases, lists of the index give the chunks of a word in context_words and of lexemes that '
  'begin with the word. Without such lists, the chunks are spread over the collection, or over what the filter finds.';
