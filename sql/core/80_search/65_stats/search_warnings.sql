-- role: reader, definer
create or replace function braid_calls.search_warnings(collection text, stats jsonb)
returns jsonb
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections;
  v_asks_semantic boolean := search_warnings.stats ->> 'mode' not in ('full_text', 'sparse');
  v_shard braid_store.serving_shard;
  v_lacks_index boolean := false;
  v_unused_index_recall float8; -- the index recall, if it is too low for searches to use the index
  v_limit int;
  v_awaits_index boolean := false;
  v_seconds_needed int;
begin
  select c.* into v_collection from braid_store.collections c where c.name = search_warnings.collection;
  if search_warnings.stats ->> 'semantic_mode' like 'exact%' then
    v_shard := braid_store.serving_shard(v_tenant_id, v_collection);
    v_lacks_index := v_shard.id is not null and not v_shard.is_indexed;
    if v_shard.is_indexed and v_shard.ef_search is null then
      v_unused_index_recall := (
        select coalesce(s.index_recall, 0) from braid_store.vector_shards s
        where s.tenant_id = v_tenant_id and s.collection_id = v_collection.id
          and s.vector_space_id = v_collection.vector_space_id and s.id = v_shard.id);
    elsif v_shard.id is null and search_warnings.stats ->> 'semantic_mode' = 'exact' then
      -- Vectors are counted only if the part has enough chunks to need a vector shard.
      v_limit := (select braid_store.exact_limit(s.dimensions) from braid_store.vector_spaces s
                  where s.id = v_collection.vector_space_id);
      v_awaits_index := v_limit < (
          select sum(s.chunk_count) from braid_store.segments s
          where s.tenant_id = v_tenant_id and s.collection_id = v_collection.id and not s.is_deletion)
        and exists (
          select from braid_store.chunk_vectors v
          where v.tenant_id = v_tenant_id and v.collection_id = v_collection.id
            and v.vector_space_id = v_collection.vector_space_id
          offset v_limit);
      v_seconds_needed := (
        select s.seconds_needed from braid_store.vector_shards s
        where v_awaits_index and s.tenant_id = v_tenant_id and s.collection_id = v_collection.id
          and s.vector_space_id = v_collection.vector_space_id and s.state = 'indexing');
    end if;
  end if;
  -- Most searches give no warning, and planning the full list takes long. If the stats have these values, no warning of
  -- the list applies.
  if search_warnings.stats @> '{"demands_cut": false, "listing_cut": false, "optional_phrases": false, "plain_signs": '
    'false,
                                "query_cut": false, "scoring_cut": false, "underfilled": false}'
     and search_warnings.stats -> 'corrections' = '[]' and search_warnings.stats -> 'dropped_terms' = '[]'
     and (search_warnings.stats -> 'terms' <> '[]' or search_warnings.stats ->> 'mode' = 'semantic')
     and coalesce(search_warnings.stats ->> 'candidates_without_embedding', '0') = '0'
     and not search_warnings.stats ?| '{asked_candidate_count,negation_in_words,no_dates,other_collections,
                                        sparse_terms,statistics_scope,undeclared_filter,unknown_filter_keys,warnings}'
     and not v_lacks_index and not v_awaits_index and v_unused_index_recall is null
     and not (v_asks_semantic and exists (
       select from braid_store.embedding_jobs j
       where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id
         and j.vector_space_id = v_collection.vector_space_id)) then
    return '[]';
  end if;

  return (
    with pending as (
      -- Counting stops at 1,001, because a warning need not be exact.
      select count(*) as count
      from (
        select
        from braid_store.embedding_jobs j
        where j.tenant_id = v_tenant_id and j.collection_id = v_collection.id
          and j.vector_space_id = v_collection.vector_space_id
        limit 1001
      ) j
      where v_asks_semantic
    )
    select coalesce(jsonb_agg(jsonb_build_object('code', w.code, 'message', w.message) order by w.code), '[]')
    from pending p,
         lateral (values
           ('candidate_count_raised', search_warnings.stats ? 'asked_candidate_count',
            format('candidate_count %s is below match_count, so %s candidates were used.',
                   search_warnings.stats ->> 'asked_candidate_count', search_warnings.stats ->> 'candidate_count')),
           ('candidates_without_embedding', (search_warnings.stats ->> 'candidates_without_embedding')::int > 0,
            format('%s of the chunks compared have no embedding yet; they count as chunks of average similarity.',
                   search_warnings.stats ->> 'candidates_without_embedding')),
           ('chunks_not_embedded', p.count > 0,
            format('%s chunks wait for their embedding and cannot be found semantically.',
                   case when p.count > 1000 then 'more than 1000' else p.count::text end)),
           ('demands_cut', (search_warnings.stats ->> 'demands_cut')::boolean,
            'Only the first 128 required or excluded words and phrases of the query were applied.'),
           ('did_you_mean', search_warnings.stats @? '$.corrections[*] ? (@.edits > 0)',
            (select string_agg(format(case when c.applied then 'Searched for "%s" beside "%s".'
                                           else 'Did you mean "%s" instead of "%s"?' end, c.correction, c.word), ' ')
             from jsonb_to_recordset(search_warnings.stats -> 'corrections') c (word text, correction text,
               applied boolean, edits int)
             where c.edits > 0)),
           ('empty_collection', search_warnings.stats ? 'other_collections',
            format('The collection %s, %s, has none of your documents; these collections have some: %s.',
                   to_json(search_warnings.collection),
                   case search_warnings.collection when 'default' then 'which is searched by default'
                     else 'which the search names' end,
                   (select string_agg(o.name::text, ', ')
                    from jsonb_array_elements(search_warnings.stats -> 'other_collections') o (name)))),
           ('listing_cut', (search_warnings.stats ->> 'listing_cut')::boolean,
            'The pages end with the candidates of the first page, although more chunks may match: begin again with '
            'a higher candidate_count.'),
           ('negation_in_words', search_warnings.stats ? 'negation_in_words',
            format('The search does not understand the negation in "%s": write a minus before a word, or before a '
                   'phrase in quotation marks, to exclude it.', search_warnings.stats ->> 'negation_in_words')),
           ('no_dates', (search_warnings.stats ->> 'no_dates')::boolean,
            'No chunk of the collection has the time occurred_at, which the search uses: write documents with '
            'occurred_at, or, if documents are written as events happen, have an administrator call '
            'braid.set_collection with {"default_occurred_at": "now"}.'),
           ('no_query_terms',
            search_warnings.stats ->> 'mode' not in ('semantic', 'sparse') and search_warnings.stats -> 'terms' = '[]',
            'No word that the query asks for occurs in the collection: the full-text leg found nothing.'),
           ('no_sparse_terms', (search_warnings.stats ->> 'sparse_terms')::int = 0,
            'The option sparse has no terms, or the collection''s sparse encoder has a weight for none of the '
              'query''s words: the '
            'sparse leg found nothing.'),
           ('optional_phrases', (search_warnings.stats ->> 'optional_phrases')::boolean,
            'The query reads as a sentence, so its quoted phrases are optional. Write +"..." for a required phrase.'),
           ('plain_signs', (search_warnings.stats ->> 'plain_signs')::boolean,
            format('The sign is read as text and not as an operator in %s. Write -"..." for an excluded phrase, and '
                   '+"..." for a required phrase.',
                   (select string_agg(left(p.word, 60), ', ' order by p.place)
                    from jsonb_array_elements_text(search_warnings.stats -> 'signs_read_as_text')
                      with ordinality p (word, place)))),
           ('query_cut', (search_warnings.stats ->> 'query_cut')::boolean,
            'Only the first 16384 characters of the query were searched by full text.'),
           ('scoring_cut', (search_warnings.stats ->> 'scoring_cut')::boolean,
            'Prefixes or synonyms match too many words or chunks, so some were left out: write longer prefixes, or '
            'put a + before a required word.'),
           ('sparse_terms_not_indexed',
            (search_warnings.stats ->> 'sparse_terms')::int > 0 and (
              select count(*) > 2000
              from (
                select from braid_store.unindexed_sparse_rows n
                where n.tenant_id = v_tenant_id and n.collection_id = v_collection.id
                limit 2001
              ) n),
            'Sparse terms of more than 2000 writes are not indexed yet, which makes searches slower: call '
            'maintain() to index them.'),
           ('statistics_scope_too_large', search_warnings.stats ->> 'statistics_scope' = 'collection',
            'The filter matches more than 10000 chunks: words were weighted by the statistics of the whole '
              'collection.'),
           ('terms_dropped', search_warnings.stats -> 'dropped_terms' <> '[]',
            format('The query has more than 64 distinct terms; the %s most common were left out.',
                   jsonb_array_length(search_warnings.stats -> 'dropped_terms'))),
           ('undeclared_filter', search_warnings.stats -> 'undeclared_filter' <> 'null',
            format('The filter scanned many chunks, because it has no index: add %s to the attributes that '
                   'braid.set_indexed_attributes declares for the collection, then call maintain().',
                   search_warnings.stats ->> 'undeclared_filter')),
           ('unknown_filter_key', jsonb_array_length(nullif(search_warnings.stats -> 'unknown_filter_keys',
             'null')) > 0,
            format('No chunk has the metadata keys %s that the filter names. These names are not metadata: speaker, '
                   'category, language, importance, occurred_at, external_id, source_uri.',
                   search_warnings.stats ->> 'unknown_filter_keys')),
           ('vector_index_missing',
            v_lacks_index,
            'The HNSW index of the tenant''s vectors is missing or invalid, so all vectors were scanned: maintain() '
            'rebuilds the index within a day, or at once after braid.rebuild_vector_index.'),
           ('vector_index_unused', v_unused_index_recall is not null,
            format('All vectors were scanned, because the index recall of the tenant''s HNSW index (%s) is too low: '
                   'see braid.health for what to do.', round(v_unused_index_recall::numeric, 3))),
           ('vectors_not_indexed', v_awaits_index,
            format('More than %s vectors were scanned, because their index is not built yet: %s', v_limit,
                   case when v_seconds_needed is null then 'call maintain().'
                        else format('the build needs about %s seconds, longer than any call of maintain() had: call '
                                    'maintain() with a longer time_budget, or without one.', v_seconds_needed) end)),
           ('underfilled', (search_warnings.stats ->> 'underfilled')::boolean,
            'The search returned fewer rows than match_count, although more chunks may match: raise candidate_count.')
           union all
           -- Parts give these warnings.
           select e.value ->> 'code', true, e.value ->> 'message'
             from jsonb_array_elements(search_warnings.stats -> 'warnings') e
         ) w (code, is_given, message)
    where w.is_given);
end
$$;

comment on function braid_calls.search_warnings(text, jsonb) is
  'Return the warnings of a search as search_json returns them: facts beyond the rows that a caller should know. '
  'stats are the stats of the search.';
