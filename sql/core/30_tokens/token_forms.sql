create or replace function braid_store.token_forms(words text[])
returns table (word_number int, position_count int, place int, form text, kind text)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  with scanned as materialized (
    select s.word_number, s.token, s.token_class,
      sum(n.position_count) over (partition by s.word_number)::int as position_count,
      (sum(n.position_count) over (partition by s.word_number order by s.token_number) - n.position_count)::int as place
    from braid_store.token_scan(token_forms.words) as s
    cross join lateral (
      select case s.token_class when 'unspaced' then length(s.token) else 1 end as position_count
    ) as n
  ), spaced as materialized (
    select s.word_number, s.token, s.token_class, row_number() over ()::int as token_number, s.position_count, s.place
    from scanned s
    where s.token_class <> 'unspaced'
  ), by_class as materialized (
    -- Tokens are passed in arrays and found again by number, because a token may be very long and have very many forms.
    select array_agg(case when s.token_class = 'compound' then s.token end order by s.token_number) as compounds,
      array_agg(case when s.token_class = 'hangul' then s.token end order by s.token_number) as hangul
    from spaced s
  ), forms as (
    select s.token_number, s.token as form, case s.token_class when 'compound' then 'compound' else 'word' end as kind
    from spaced s
    where not (s.token_class = 'hangul' and length(s.token) <= 2)
    union all
    select p.token_number, p.part, 'part'
    from by_class c cross join lateral braid_store.token_parts(c.compounds) as p
    union all
    -- Hangul is written with spaces. A word's bigrams and characters count like the parts of a compound; a word of one
    -- or two letters has no other forms.
    select distinct g.token_number, g.gram, g.kind
    from by_class c cross join lateral braid_store.token_grams(c.hangul) as g
  )
  select s.word_number, s.position_count, s.place, s.token, 'run'
  from scanned s
  where s.token_class = 'unspaced'
  union all
  select s.word_number, s.position_count, s.place,
    case
      when octet_length(f.form) = length(f.form) then lower(f.form collate "C")
      when s.token_class = 'hangul' then f.form
      else braid_store.token_lower(replace(f.form, E'\u200d', ''))
    end,
    f.kind
  from (
    -- Hyphens between letters or digits are removed, unless all are digits: re-entry also finds reentry, and IL-6 finds
    -- IL6.
    select f.token_number, f.kind,
      case
        when f.form like '%-%'
          and f.form !~ E'[\\u0001-\\u002c\\u002e\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007f]|^[0-9-]+$'
          then replace(f.form, '-', '')
        else f.form
      end as form
    from forms f
    offset 0 -- so that each form is made only once
  ) as f
  join spaced s on s.token_number = f.token_number;
end
$$;

comment on function braid_store.token_forms(text[]) is
  'Return all forms under which the tokens of words are indexed, in lower case and before any dictionary. place: the '
  'position within the word, from 0. A compound and its parts take one position. A run of unspaced script is one '
  'form (kind run), not in lower case, and takes one position for each character. word_number: the word''s index in '
  'the array; nulls are skipped.';
