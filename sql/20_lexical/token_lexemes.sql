create or replace function braid_store.token_lexemes(words text[], text_config text, fold_diacritics boolean)
returns table (word text, position_count int, place int, lexeme text, kind text)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  with candidates as materialized (
    -- Sentence punctuation and brackets off both ends; what is left is most often a plain word.
    select w.word, w.core, w.core ~ '^(?:[A-Za-z]?[a-z]+|[A-Z]+s?)$' as is_plain
    from (
      select u.word, rtrim(ltrim(u.word, '([{<"''`*-/\,;:!?'), ')]}>"''`*-/\,;:!?.') as core
      from unnest(token_lexemes.words) as u (word)
    ) as w
  ), scanned as materialized (
    select s.word as core, s.token_number, s.token,
      case
        when s.token !~ '[\u0001-\u0040\u005b-\u0060\u007b-\u007f]' and s.token !~ '[a-z][A-Z]|[A-Z]{2}[a-rt-z]' then
          case
            when s.token ~ '^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u2e80-\u312f\u31a0-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\U00016fe0-\U00018cff\U0001b000-\U0001b2ff\U00020000-\U0003ffff]' then 'unspaced'
            when s.token ~ '^[\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff]' then 'hangul'
            when s.token ~ '^[\u2300-\u2bff\U0001f000-\U0001faff]' then 'emoji'
            else 'word'
          end
        when s.token ~ '^[0-9]+$' then 'number'
        else 'compound'
      end as class
    from braid_store.token_scan(array(select distinct c.core from candidates c where not c.is_plain)) as s
  ), tokens as (
    select distinct s.token, s.class from scanned s
  ), pieces as materialized (
    -- every form that a token is indexed by, before the dictionary
    select t.token, 0 as place, t.token as piece, 'word' as kind from tokens t where t.class in ('word', 'number', 'hangul')
    union all
    select t.token, 0, t.token, case when t.token like '%' || U&'\200d' || '%' then 'compound' else 'word' end
    from tokens t where t.class = 'emoji'
    union all
    select t.token, 0, b.base, 'part' from tokens t cross join lateral string_to_table(t.token, U&'\200d') as b (base)
    where t.class = 'emoji' and t.token like '%' || U&'\200d' || '%'
    union all
    select t.token, 0, t.token, 'compound' from tokens t where t.class = 'compound'
    union all
    select p.token, 0, p.part, 'part'
    from braid_store.token_parts(array(select t.token from tokens t where t.class = 'compound')) as p
    union all
    select g.token, case g.class when 'hangul' then 0 else g.place end, g.piece, g.kind
    from (
      select c.token, c.class, c.place, unnest(array[c.character, c.character || c.next]) as piece,
        unnest(array['character', 'bigram']) as kind
      from (
        select a.token, a.class, generate_series(0, cardinality(a.characters) - 1) as place, unnest(a.characters) as character,
          unnest(a.characters[2:]) as next
        from (
          select t.token, t.class, string_to_array(t.token, null) as characters
          from tokens t where t.class in ('unspaced', 'hangul')
        ) as a
      ) as c
    ) as g
    where g.piece is not null
  ), lowered as materialized (
    select p.token, p.place, p.kind,
      case when octet_length(p.piece) = length(p.piece) then lower(p.piece collate "C")
      else braid_store.token_lower(replace(p.piece, U&'\200d', '')) end as piece
    from pieces p
  ), plain as materialized (
    select c.word, lower(c.core collate "C") as piece from candidates c where c.is_plain
  ), stems as materialized (
    select s.word, s.stem, s.is_stop_word
    from braid_store.token_stem(
      array(
        select p.piece from plain p
        union
        select l.piece from lowered l
        where l.kind in ('word', 'compound', 'part')
          and octet_length(l.piece) <= 255
          and l.piece !~ '[\u0001-\u0026\u0028-\u0060\u007b-\u00a9]'
      ), token_lexemes.text_config) as s
  ), forms as (
    select l.token, l.place, l.kind, l.piece, coalesce(s.stem, l.piece) as stem, coalesce(s.is_stop_word, false) as is_stop_word
    from lowered l
    left join stems s on s.word = l.piece
  ), counts as (
    select s.core, s.token, case s.class when 'unspaced' then length(s.token) else 1 end as position_count, s.token_number
    from scanned s
  ), offsets as (
    select c.core, c.token, (sum(c.position_count) over w - c.position_count)::int as first_place,
      (sum(c.position_count) over (partition by c.core))::int as position_count
    from counts c
    window w as (partition by c.core order by c.token_number)
  )
  select p.word, 1, 0, case when s.is_stop_word then '=' || s.stem else s.stem end,
    case when s.is_stop_word then 'stop_word' else 'word' end
  from plain p join stems s on s.word = p.piece
  union all
  select c.word, coalesce(o.position_count, 0), o.first_place + f.place, f.lexeme, f.kind
  from candidates c
  left join offsets o on o.core = c.core
  left join (
    select r.token, r.place, r.lexeme, min(r.kind) as kind
    from (
      select f.token, f.place,
        case when f.is_stop_word then '=' else '' end ||
        case when octet_length(x.lexeme) <= 254 then x.lexeme else left(x.lexeme, 50) || '~' || md5(x.lexeme) end as lexeme,
        case when f.is_stop_word then 'stop_word' else f.kind end as kind
      from forms f
      cross join lateral (
        select translate(case when token_lexemes.fold_diacritics and octet_length(f.stem) <> length(f.stem) then braid_store.token_fold(f.stem)
           else f.stem end, '=', ':') as lexeme
      ) as x
    ) as r
    group by r.token, r.place, r.lexeme
  ) as f on f.token = o.token
  where not c.is_plain;
end
$$;
comment on function braid_store.token_lexemes(text[], text, boolean) is 'draft';
