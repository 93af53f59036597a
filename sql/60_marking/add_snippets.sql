create or replace function braid_store.add_snippets(
  results braid.search_result[],
  collection braid_store.collections,
  options jsonb,
  lexemes text[],
  prefixes text[]
)
returns braid.search_result[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_snippet record := braid_store.snippet_options(options);
  v_snippets text[] := braid_store.make_snippets(
    array(select r.content from unnest(results) with ordinality r (
            chunk_id, document_id, external_id, chunk_index, title, content) order by r.ordinality),
    lexemes, prefixes, collection.text_config, collection.fold_diacritics, v_snippet.start_tag, v_snippet.stop_tag,
    v_snippet.fragment_count, v_snippet.fragment_words, v_snippet.fragment_separator);
begin
  for v_place in 1..cardinality(results) loop
    results[v_place].snippet := v_snippets[v_place];
  end loop;
  return results;
end
$$;

comment on function braid_store.add_snippets(braid.search_result[], braid_store.collections, jsonb, text[], text[]) is
  'The rows of a search with snippets, as the options ask for them.';
