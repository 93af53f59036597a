create or replace function braid_store.check_ranking(
  collection braid_store.collections,
  options braid_store.search_options,
  has_text boolean,
  query_embedding @vector@.vector,
  asks_sparse boolean
)
returns void
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if collection.fusion not in ('rrf', 'convex', 'dbsf', 'max') then
    raise exception 'fusion is ''%''', left(collection.fusion, 255)
      using errcode = '22023', hint = 'Use rrf, convex, dbsf or max.';
  elsif collection.fusion in ('rrf', 'dbsf')
     and num_nonnulls(options.full_text_normalisation, options.semantic_normalisation, options.sparse_normalisation) > 0
       then
    raise exception 'ranking: normalisation is one for each leg, but fusion ''%'' takes none', collection.fusion
      using errcode = '22023', hint = 'Use fusion convex or max, or leave normalisation out.';
  end if;
  if options.saturate_at is not null
     and (collection.fusion not in ('convex', 'max')
          or coalesce(options.full_text_normalisation, collection.normalisation) <> 'saturate') then
    raise exception 'ranking: saturate_at is %, but full text is not normalised by saturate', options.saturate_at
      using errcode = '22023',
            hint = 'Add "normalisation": "saturate" to ranking and use fusion convex or max, or leave saturate_at out.';
  end if;
  if query_embedding is not null then
    perform braid_store.check_query_model(collection, options.embedding_model),
            braid_store.check_embeddings(collection, array[query_embedding], 'query_embedding');
    if has_text and collection.full_text_weight = 0 and collection.semantic_weight = 0 and not asks_sparse then
      raise exception 'full_text_weight and semantic_weight are both 0'
        using errcode = '22023', hint = 'Give at least one leg a weight above 0.';
    end if;
  end if;
end
$$;

comment on function braid_store.check_ranking(braid_store.collections, braid_store.search_options, boolean,
                                              @vector@.vector, boolean) is
  'Raise 22023 if the collection''s fusion and weights contradict the options or the query vector of a search. '
  'asks_sparse: whether there is a sparse leg, too.';
