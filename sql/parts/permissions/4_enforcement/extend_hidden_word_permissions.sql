create or replace function braid_store.extend_hidden_word_permissions(
  tenant_id int,
  collection braid_store.collections,
  word text,
  lexeme text
)
returns boolean
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_filter braid_store.filter := braid_store.extend_filter_permissions(braid_store.no_filter(), tenant_id,
                                                                       collection.id);
  v_query braid_store.text_query;
begin
  if v_filter.is_empty then
    return false;
  end if;
  v_query := braid_store.compile_query(
    tenant_id, collection, braid_store.query_tokens(word, collection.text_config, collection.fold_diacritics), '100%');
  return not (lexeme = any (v_query.lexemes)
              and cardinality((braid_store.full_text_candidates(tenant_id, collection, v_query, v_filter, null,
                                                                1)).candidates) > 0);
end
$$;

comment on function braid_store.extend_hidden_word_permissions(int, braid_store.collections, text, text) is
  'Tell whether no chunk that the session may read has a word.';
