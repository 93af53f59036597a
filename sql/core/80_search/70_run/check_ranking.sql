create or replace function braid_store.check_ranking(
  collection braid_store.collections,
  options braid_store.search_options,
  has_text boolean,
  query_embedding @vector@.vector,
  normalisation jsonb,
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
  perform braid_store.check_fusion(collection.fusion);
  if collection.fusion in ('rrf', 'dbsf') and normalisation <> 'null' then
    raise exception 'option normalisation is %, but fusion ''%'' takes none', left(normalisation::text, 100),
                    collection.fusion
      using errcode = '22023', hint = 'Use fusion convex or max, or leave normalisation out.';
  end if;
  if options.saturate_at is not null
     and (collection.fusion not in ('convex', 'max')
          or coalesce(options.full_text_normalisation, collection.normalisation) <> 'saturate') then
    raise exception 'option saturate_at is %, but full text is not normalised by saturate', options.saturate_at
      using errcode = '22023',
            hint = 'Add "normalisation": "saturate" and use fusion convex or max, or leave saturate_at out.';
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
                                              @vector@.vector, jsonb, boolean) is
  'Raises 22023 if the collection''s fusion and weights, the options and the query vector of a search do not go '
  'together. normalisation: the JSON value of that option, as it was given. asks_sparse: whether there is a sparse leg, too.';
