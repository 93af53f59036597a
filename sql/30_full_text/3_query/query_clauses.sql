create or replace function braid_store.query_clauses(
  query_text text,
  text_config text,
  fold_diacritics boolean,
  occurrences text[] default '{must,must_not,should}',
  max_clauses int default null
)
returns table (
  clause_number int,
  group_number int,
  occurrence text,
  kind text,
  "position" int,
  lexeme text,
  token_kind text
)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
begin
  if strpos(query_clauses.query_text, '*') = 0 then
    -- Without a prefix each token is what it is.
    return query
    with clauses as materialized (
      select row_number() over (order by p.clause_number)::int as place, p.*
      from braid_store.parse_query(query_clauses.query_text) p
      where p.occurrence = any (query_clauses.occurrences)
      order by p.clause_number
      limit query_clauses.max_clauses
    )
    select c.clause_number, c.group_number, c.occurrence, c.kind, t.position, t.lexeme collate "C", t.kind
    from clauses c
    join braid_store.tokenize(array(select c.content from clauses c order by c.clause_number),
                              query_clauses.text_config, query_clauses.fold_diacritics) t
      on t.text_number = c.place;
    return;
  end if;

  return query
  with clauses as materialized (
    select row_number() over (order by p.clause_number)::int as place, p.*
    from braid_store.parse_query(query_clauses.query_text) p
    where p.occurrence = any (query_clauses.occurrences)
    order by p.clause_number
    limit query_clauses.max_clauses
  ), tokens as (
    select t.text_number as place, t.position, t.lexeme collate "C" as lexeme, t.kind, false as is_typed
    from braid_store.tokenize(array(select c.content from clauses c order by c.clause_number),
                              query_clauses.text_config, query_clauses.fold_diacritics) t
    union all
    -- Prefixes once more as they were typed: the configuration "simple" has no stems.
    select t.text_number, t.position, t.lexeme, t.kind, true
    from braid_store.tokenize(array(select case when c.kind = 'prefix' then c.content end from clauses c
                                    order by c.clause_number),
                              'simple', query_clauses.fold_diacritics) t
    where exists (select from clauses c where c.kind = 'prefix')
  ), described as materialized (
    -- Not the content, which may be very long.
    select c.clause_number, c.group_number, c.occurrence, c.kind, t.position, t.lexeme, t.kind as token_kind, t.is_typed,
           c.kind = 'prefix' and max(t.position) over (partition by c.clause_number) = 1 as is_prefix,
           -- Of all that a word is indexed by, the longest is the whole word.
           row_number() over (partition by c.clause_number, t.is_typed order by length(t.lexeme) desc, t.lexeme) = 1
             as is_longest
    from clauses c
    join tokens t on t.place = c.place
  )
  select d.clause_number, d.group_number, d.occurrence,
         -- A * behind several words, or in a script without spaces, says nothing.
         case d.kind when 'prefix' then 'word' else d.kind end, d.position, d.lexeme, d.token_kind
  from described d
  where not d.is_prefix and not d.is_typed
  union all
  select distinct p.clause_number, p.group_number, p.occurrence, p.kind, 1, p.lexeme, 'prefix'
  from (
    select d.*, min(d.lexeme) over (partition by d.clause_number) as first_lexeme
    from described d
    where d.is_prefix and case when d.is_typed then d.is_longest else d.token_kind in ('word', 'compound') end
  ) p
  where p.lexeme = p.first_lexeme or not starts_with(p.lexeme, p.first_lexeme);
end
$$;

comment on function braid_store.query_clauses(text, text, boolean, text[], int) is
  'The lexemes of a query''s clauses, the first max_clauses of those that have one of the occurrences given, with positions inside the clause; stop words and characters that bigrams cover are '
  'among them. A prefix is compared with stored lexemes, which are stems, hence is the shorter of the text typed, in lower '
  'case and folded, and its stem (databases*: databas), or both where neither begins with the other (company*: company, '
  'compani). A part of a word that is longer than the stem of the whole (informati*: inform) finds nothing.';
