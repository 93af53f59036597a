create or replace function braid_store.completion_sample(
  tenant_id int,
  collection braid_store.collections,
  filter braid_store.filter,
  word text,
  context_words text[],
  max_count int,
  out chunk_ids bigint[],
  out is_sampled boolean
)
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
  -- A filter is tested on up to this number of chunks.
  c_most_tested constant int := 600;
  -- A lexeme that more than this share of the chunks have is found by reading any chunks. A list of 20000 is short.
  c_common_share constant float8 := 0.05;
  c_short_list constant int := 20000;
  v_chunk_count bigint := (
    select coalesce(sum(s.chunk_count), 0) from braid_store.segments s
    where s.tenant_id = completion_sample.tenant_id and s.collection_id = completion_sample.collection.id);
  v_count int := max_count;
  v_common float8 := greatest(v_chunk_count * c_common_share, c_short_list);
  v_lexemes text[];
  v_frequencies bigint[];
  v_context text;
  v_context_frequency bigint;
begin
  is_sampled := false;
  if not filter.is_empty and v_chunk_count > max_count then
    v_count := c_most_tested;
    if filter.source is not null then
      chunk_ids := braid_store.source_chunk_ids(filter, c_most_tested);
    elsif filter.lists is not null then
      chunk_ids := (braid_store.listed_chunk_ids(filter, tenant_id, collection.id, c_most_tested)).chunk_ids;
    end if;
  elsif v_chunk_count <= max_count then
    chunk_ids := array(
      select sc.chunk_id from braid_store.segment_chunks sc
      where sc.tenant_id = completion_sample.tenant_id and sc.collection_id = completion_sample.collection.id);
  end if;

  if chunk_ids is null or cardinality(chunk_ids) > c_most_tested then
    is_sampled := true;
    if word <> '' then
      select array_agg(l.lexeme), array_agg(l.document_frequency) into v_lexemes, v_frequencies
      from braid_store.prefix_lexemes(tenant_id, collection.id, word, collection.text_config,
                                      collection.fold_diacritics) l
      where l.document_frequency <= v_common;
    end if;
    -- The rarest word typed before tells most about the text.
    select t.lexeme, f.document_frequency into v_context, v_context_frequency
    from braid_store.tokenize(context_words, collection.text_config, collection.fold_diacritics) t,
         lateral (
           select sum(p.document_frequency) as document_frequency from braid_store.postings p
           where p.tenant_id = completion_sample.tenant_id and p.collection_id = completion_sample.collection.id
             and p.lexeme = t.lexeme
           offset 0
         ) f
    where t.kind in ('word', 'compound', 'bigram', 'stop_word') and f.document_frequency between 1 and v_common
    order by t.kind = 'stop_word', t.text_number = cardinality(context_words) desc, f.document_frequency
    limit 1;
    if v_context is not null then
      chunk_ids := braid_store.sampled_postings(tenant_id, collection.id, array[v_context], array[v_count]);
    end if;
    if v_lexemes is not null then
      -- Each lexeme has a share, and frequent ones have more.
      chunk_ids := case when v_context_frequency <= (select sum(f) from unnest(v_frequencies) f) then chunk_ids end
        || braid_store.sampled_postings(
             tenant_id, collection.id, v_lexemes,
             array(select greatest(3, v_count * f / sum(f) over ())::int
                   from unnest(v_frequencies) with ordinality u (f, place) order by u.place))
        || case when v_context_frequency > (select sum(f) from unnest(v_frequencies) f) then chunk_ids end;
    end if;
    if chunk_ids is null or v_context is null and v_lexemes is null then
      chunk_ids := braid_store.sampled_chunk_ids(tenant_id, collection.id, v_count);
    end if;
  end if;

  chunk_ids := array(
    select u.chunk_id from unnest(completion_sample.chunk_ids) with ordinality u (chunk_id, place)
    group by u.chunk_id order by min(u.place) limit v_count);
  if not filter.is_empty then
    chunk_ids := braid_store.filtered_among(chunk_ids, tenant_id, filter);
  end if;
  is_sampled := is_sampled or cardinality(chunk_ids) > max_count;
  chunk_ids := chunk_ids[:max_count];
end
$$;

comment on function braid_store.completion_sample(int, braid_store.collections, braid_store.filter, text, text[], int)
is
  'Return up to max_count chunks from whose texts a word is completed, and whether others were left out. Small '
  'collections and filters with few matches are taken whole. In other '
  'cases, lists of the index give the chunks of a word in context_words and of lexemes that begin with the word. '
  'Without such lists, the chunks are '
  'spread over the collection.';
