create or replace function braid_store.extend_alternatives(
  tenant_id int,
  collection braid_store.collections,
  tokens braid_store.query_token[],
  query braid_store.text_query,
  options jsonb
)
returns table (
  word text, query_lexeme text, written text, lexeme text, share float8, document_frequency bigint
)
language plpgsql
stable
parallel unsafe
security invoker
rows 5
set search_path = pg_catalog, pg_temp
as $$
begin
  return;
end
$$;

comment on function braid_store.extend_alternatives(int, braid_store.collections, braid_store.query_token[],
                                                    braid_store.text_query, jsonb) is
  'Extension point: let parts give further lexemes that words of a query match, best first. options: the options of '
  'parts that the search gives. word and query_lexeme: the word as typed, and its lexeme. written and lexeme: what '
  'it also matches. share: null if the lexeme counts as the word itself does; else the lexeme is a term of its own, '
  'which counts with this share of its idf. document_frequency: how many chunks have the lexeme. None of the lexemes '
  'is one that extend_hidden_lexemes names.';
