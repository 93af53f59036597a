create or replace function braid_store.query_tokens(query_text text, text_config text, fold_diacritics boolean)
returns braid_store.query_token[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
begin
  if strpos(query_tokens.query_text, '*') = 0 then
    -- Without prefixes, the tokens need no further look.
    return array(
      with clauses as materialized (
        select p.* from braid_store.parse_query(query_tokens.query_text) p
      )
      select row(c.clause_number, c.group_number, c.occurrence, c.kind, t.position, t.lexeme collate "C", t.kind,
                 case when t.token_count = 1 then c.content end)::braid_store.query_token
      from clauses c
      join (
        select t.*, count(*) over (partition by t.text_number) as token_count
        from braid_store.tokenize(array(select c.content from clauses c order by c.clause_number),
                                  query_tokens.text_config, query_tokens.fold_diacritics) t
      ) t on t.text_number = c.clause_number);
  end if;

  return array(
    with clauses as materialized (
      select p.* from braid_store.parse_query(query_tokens.query_text) p
    ), tokens as (
      select t.text_number as clause_number, t.position, t.lexeme collate "C" as lexeme, t.kind, false as is_typed
      from braid_store.tokenize(array(select c.content from clauses c order by c.clause_number),
                                query_tokens.text_config, query_tokens.fold_diacritics) t
      union all
      -- Prefixes a second time, as they were typed: with the configuration "simple" there are no stems.
      select t.text_number, t.position, t.lexeme, t.kind, true
      from braid_store.tokenize(array(select case when c.kind = 'prefix' then c.content end from clauses c
                                      order by c.clause_number),
                                'simple', query_tokens.fold_diacritics) t
      where exists (select from clauses c where c.kind = 'prefix')
    ), described as materialized (
      -- Without the content, which may be very long: the window functions would copy it for each token.
      select c.clause_number, c.group_number, c.occurrence, c.kind, t.position, t.lexeme, t.kind as token_kind, t.is_typed,
             count(*) filter (where not t.is_typed) over (partition by c.clause_number) as token_count,
             c.kind = 'prefix' and max(t.position) over (partition by c.clause_number) = 1 as is_prefix,
             -- A word has several tokens; the longest is the whole word.
             row_number() over (partition by c.clause_number, t.is_typed order by length(t.lexeme) desc, t.lexeme) = 1
               as is_longest
      from clauses c
      join tokens t on t.clause_number = c.clause_number
    )
    select row(d.clause_number, d.group_number, d.occurrence,
               -- An asterisk after several words, or in a script without spaces, is ignored.
               case d.kind when 'prefix' then 'word' else d.kind end, d.position, d.lexeme, d.token_kind,
               case when d.token_count = 1 then c.content end)::braid_store.query_token
    from described d
    join clauses c on c.clause_number = d.clause_number
    where not d.is_prefix and not d.is_typed
    union all
    select row(p.clause_number, p.group_number, p.occurrence, p.kind, 1, p.lexeme, 'prefix', null)::braid_store.query_token
    from (
      select d.*, min(d.lexeme) over (partition by d.clause_number) as first_lexeme
      from described d
      where d.is_prefix and case when d.is_typed then d.is_longest else d.token_kind in ('word', 'compound') end
    ) p
    where p.lexeme = p.first_lexeme or not starts_with(p.lexeme, p.first_lexeme)
    group by p.clause_number, p.group_number, p.occurrence, p.kind, p.lexeme);
end
$$;

comment on function braid_store.query_tokens(text, text, boolean) is
  E'Returns the tokens of a query text''s clauses, in no order, with their positions inside the clause.\n'
  'Stop words, and characters that bigrams cover, are among them. A prefix is compared with stored lexemes, which are '
  'stems. Its own lexeme is what was typed (in lower case, folded) or the stem of that, whichever is shorter '
  '(databases*: databas). It has both if neither begins with the other (company*: company, compani). A prefix that is '
  'longer than the stem of the word it is meant for finds nothing (informati*: the stem is inform).';
