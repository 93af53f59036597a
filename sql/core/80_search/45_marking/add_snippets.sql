create or replace function braid_store.add_snippets(
  request braid_store.search_request,
  results braid_store.search_result[]
)
returns braid_store.search_result[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_collection braid_store.collections := request.collection;
  v_options braid_store.search_options := request.options;
  v_marked record;
  v_snippets text[];
begin
  v_marked := braid_store.marked_lexemes(request.tokens, request.query);
  v_snippets := braid_store.make_snippets(
    array(select r.content from unnest(results) with ordinality r (
            chunk_id, document_id, external_id, chunk_index, title, content) order by r.ordinality),
    v_marked.lexemes, v_marked.prefixes, v_collection.text_config, v_collection.fold_diacritics, v_options.start_tag,
    v_options.stop_tag, v_options.fragment_count, v_options.fragment_words, v_options.fragment_separator);
  for v_place in 1..cardinality(results) loop
    results[v_place].snippet := v_snippets[v_place];
  end loop;
  return results;
end
$$;

comment on function braid_store.add_snippets(braid_store.search_request, braid_store.search_result[]) is
  'Fill in the snippets of a search''s rows, if the search''s options ask for them.';
