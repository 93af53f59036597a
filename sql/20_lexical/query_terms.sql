create or replace function braid_store.query_terms(query_text text, text_config text, fold_diacritics boolean)
returns table (lexeme text, frequency int, word_number int)
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  with tokens as materialized (
    select t.position, t.lexeme, t.kind
    from braid_store.tokenize(array[query_terms.query_text], query_terms.text_config, query_terms.fold_diacritics) t
  ), searched as (
    select t.position, t.lexeme
    from tokens t
    where case t.kind
            -- A query of stop words alone ("The Who") searches them; any other leaves them out.
            when 'stop_word' then not exists (select from tokens o where o.kind <> 'stop_word')
            when 'character' then not exists (select from tokens o where o.kind = 'bigram')
            else true
          end
  ), lexemes as (
    select s.lexeme, count(*)::int as frequency, min(s.position) as first_position from searched s group by s.lexeme
  )
  select l.lexeme, l.frequency, dense_rank() over (order by l.first_position)::int
  from lexemes l;
$$;

comment on function braid_store.query_terms(text, text, boolean) is
  'The lexemes that a query text searches, how often each occurs in it, and which of its words each belongs to '
  '(a compound and its parts are one word).';
