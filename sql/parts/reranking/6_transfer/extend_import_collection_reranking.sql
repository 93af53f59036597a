-- role: writer
create or replace function braid_calls.extend_import_collection_reranking(collection text, definition jsonb)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if definition ->> 'token_vector_model' is not null then
    perform braid.set_token_vectors(extend_import_collection_reranking.collection, d.token_vector_model,
      d.token_vector_count,
                                    d.token_vector_dimensions)
    from jsonb_to_record(definition) d (token_vector_model text, token_vector_count int, token_vector_dimensions int);
  end if;
  if definition ->> 'ranking_model' is not null then
    perform braid.set_ranking(extend_import_collection_reranking.collection,
                              jsonb_build_object('ranking_model', definition -> 'ranking_model'));
  end if;
end
$$;

comment on function braid_calls.extend_import_collection_reranking(text, jsonb) is
  'Set the token vectors and the ranking model of a new collection.';
