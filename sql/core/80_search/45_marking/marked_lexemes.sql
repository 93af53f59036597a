create or replace function braid_store.marked_lexemes(
  tokens braid_store.query_token[],
  query braid_store.text_query,
  out lexemes text[],
  out prefixes text[]
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_marked record;
begin
  v_marked := braid_store.marked_terms(marked_lexemes.tokens);
  lexemes := array(
    select unnest(v_marked.lexemes)
    union
    select w.lexeme
    from unnest(marked_lexemes.query.lexemes, marked_lexemes.query.term_numbers, marked_lexemes.query.phrases)
           q (lexeme, term_number, phrase),
         string_to_table(coalesce(q.phrase, q.lexeme), ' ') w (lexeme)
    where marked_lexemes.query.terms[q.term_number] not like '%*'
      -- A phrase may contain stop words, and characters that are covered by its bigrams.
      and (q.phrase is null
           or w.lexeme not like '=%'
              and (octet_length(w.lexeme) = 1 or length(w.lexeme) > 1
                   or not exists (select from string_to_table(q.phrase, ' ') o (lexeme)
                                  where o.lexeme like '_' || w.lexeme))));
  prefixes := v_marked.prefixes;
end
$$;

comment on function braid_store.marked_lexemes(braid_store.query_token[], braid_store.text_query) is
  'Return the lexemes and prefixes that the snippets of a search mark. These are the lexemes and prefixes that '
  'braid.highlight marks for the query, the synonyms with all words of a phrase, and the corrected words that the '
  'search used.';
