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
declare
  -- The pattern matches ASCII words and numbers with spaces between them, and punctuation at most after them. Each word
  -- matches c_ascii of token_lexemes.
  c_plain constant text := '^ *(?:(?:[A-Z]?[a-z]+|[A-Z]+s?|[0-9]+)[.,;:!?]*(?: +|$))+$';
  v_tokens braid_store.query_token[];
begin
  if query_tokens.query_text ~ c_plain and strpos(query_tokens.query_text, 'OR') = 0
     and strpos(query_tokens.text_config, '.') = 0 then
    -- Most queries take this branch. It returns what parse_query and tokenize would return, with a tenth of the
    -- planning in a new session. The result is null if the configuration has several dictionaries, or if a word has
    -- several stems, letters that may be folded, or too many characters for a stem.
    select case when bool_and(coalesce(octet_length(t.lexeme) = length(t.lexeme) and length(t.lexeme) <= 254
                                       and length(t.content) <= 255, false)) then array_agg(
             row(t.number, t.number, 'should', 'word', 1, t.lexeme collate "C",
                 case when cardinality(t.stems) = 0 then 'stop_word' else 'word' end,
                   t.content)::braid_store.query_token) end
    into v_tokens
    from (
      select w.number, w.content, w.stems,
             case when cardinality(w.stems) = 0 then '=' || w.form when w.stems is null then w.form
                  when cardinality(w.stems) = 1 and w.stems[1] <> '' then replace(w.stems[1], '=', ':') end as lexeme
      from (
        select u.number, u.content, u.form,
               -- Numbers have no stem.
               case when u.form >= 'a' then ts_lexize(d.id::regdictionary, u.form) end as stems
        from (
          select max(m.mapdict) filter (where m.maptokentype = 1) as id
          from pg_ts_config_map m
          where m.mapcfg = ('pg_catalog.' || quote_ident(query_tokens.text_config))::regconfig::oid
          having count(*) filter (where m.maptokentype = 1) = 1 and count(*) filter (where m.maptokentype = 2) = 1
        ) d,
        lateral (
          select p.number, p.content, lower(rtrim(p.content, '.,;:!?') collate "C") as form
          from regexp_split_to_table(btrim(query_tokens.query_text), ' +') with ordinality p (content, number)
          offset 0
        ) u
        offset 0
      ) w
      offset 0
    ) t;
    if v_tokens is not null then
      return v_tokens;
    end if;
  end if;

  if strpos(query_tokens.query_text, '*') = 0 then
    -- Without prefixes, the tokens are complete.
    return array(
      with clauses as materialized (
        select p.* from braid_store.parse_query(query_tokens.query_text, query_tokens.text_config) p
      )
      select row(c.clause_number, c.group_number, c.occurrence, c.kind, t.position, t.lexeme collate "C", t.kind,
                 case when t.token_count = 1 or t.kind = 'compound' and t.position_count = 1
                      then c.content end)::braid_store.query_token
      from clauses c
      join (
        select t.*, count(*) over (partition by t.text_number) as token_count,
               max(t.position) over (partition by t.text_number) as position_count
        from braid_store.tokenize(array(select c.content from clauses c order by c.clause_number),
                                  query_tokens.text_config, query_tokens.fold_diacritics) t
      ) t on t.text_number = c.clause_number);
  end if;

  return array(
    with clauses as materialized (
      select p.* from braid_store.parse_query(query_tokens.query_text, query_tokens.text_config) p
    ), tokens as (
      select t.text_number as clause_number, t.position, t.lexeme collate "C" as lexeme, t.kind, false as is_typed
      from braid_store.tokenize(array(select c.content from clauses c order by c.clause_number),
                                query_tokens.text_config, query_tokens.fold_diacritics) t
      union all
      -- Prefixes are tokenized again as they were typed: the configuration "simple" does not stem.
      select t.text_number, t.position, t.lexeme, t.kind, true
      from braid_store.tokenize(array(select case when c.kind = 'prefix' then c.content end from clauses c
                                      order by c.clause_number),
                                'simple', query_tokens.fold_diacritics) t
      where exists (select from clauses c where c.kind = 'prefix')
    ), described as materialized (
      -- The content is left out because it may be very long, and the window functions would copy it for each token.
      select c.clause_number, c.group_number, c.occurrence, c.kind, t.position, t.lexeme, t.kind as token_kind,
        t.is_typed,
             count(*) filter (where not t.is_typed) over (partition by c.clause_number) as token_count,
             max(t.position) over (partition by c.clause_number) as position_count,
             c.kind = 'prefix' and max(t.position) over (partition by c.clause_number) = 1 as is_prefix,
             -- A word may have several tokens; the longest is the whole word.
             row_number() over (partition by c.clause_number, t.is_typed order by length(t.lexeme) desc, t.lexeme) = 1
               as is_longest
      from clauses c
      join tokens t on t.clause_number = c.clause_number
    )
    select row(d.clause_number, d.group_number, d.occurrence,
               -- An asterisk after several words, or in a script without spaces, is ignored.
               case d.kind when 'prefix' then 'word' else d.kind end, d.position, d.lexeme, d.token_kind,
               case when d.token_count = 1 or d.token_kind = 'compound' and d.position_count = 1
                    then c.content end)::braid_store.query_token
    from described d
    join clauses c on c.clause_number = d.clause_number
    where not d.is_prefix and not d.is_typed
    union all
    select row(p.clause_number, p.group_number, p.occurrence, p.kind, 1, p.lexeme, 'prefix',
      null)::braid_store.query_token
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
  E'Return the tokens of a query text''s clauses, in no order, with their positions inside the clause.\n'
  'The result includes stop words, and characters that bigrams cover. A prefix is compared with stored lexemes, '
  'which are stems. The lexeme of a prefix is the typed text (in lower case, folded) or the stem of the typed text, '
  'whichever is shorter (databases*: databas). If neither begins with the other, the prefix has both lexemes '
  '(company*: company, compani). A prefix that is longer than the stem of the intended word finds nothing '
  '(informati*: the stem is inform).';
