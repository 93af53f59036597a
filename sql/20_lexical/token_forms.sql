create or replace function braid_store.token_forms(words text[])
returns table (word text, position_count int, place int, form text, kind text)
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
    select s.word, s.token, s.token_class,
      sum(n.position_count) over (partition by s.word)::int as position_count,
      (sum(n.position_count) over (partition by s.word order by s.token_number) - n.position_count)::int as place
    from braid_store.token_scan(token_forms.words) as s
    cross join lateral (
      select case s.token_class when 'unspaced' then length(s.token) else 1 end as position_count
    ) as n
  ), tokens as materialized (
    select distinct s.token, s.token_class from scanned s
  ), forms as (
    select t.token, 0 as place, t.token as form, case t.token_class when 'compound' then 'compound' else 'word' end as kind
    from tokens t
    where t.token_class <> 'unspaced'
    union all
    select p.token, 0, p.part, 'part'
    from braid_store.token_parts(array(select t.token from tokens t where t.token_class = 'compound')) as p
    union all
    select g.token, g.place, g.gram, g.kind
    from braid_store.token_grams(array(select t.token from tokens t where t.token_class = 'unspaced')) as g
    where g.kind is not null
    union all
    -- Hangul has spaces: a word's bigrams are like the parts of a compound.
    select distinct g.token, 0, g.gram, g.kind
    from braid_store.token_grams(array(select t.token from tokens t where t.token_class = 'hangul')) as g
    where g.kind is not null and g.gram <> g.token
  )
  select s.word, s.position_count, s.place + f.place,
    case
      when octet_length(j.form) = length(j.form) then lower(j.form collate "C")
      when s.token_class in ('unspaced', 'hangul') then j.form
      else braid_store.token_lower(replace(j.form, E'\u200d', ''))
    end,
    f.kind
  from scanned s
  join forms f on f.token = s.token
  cross join lateral (
    -- re-entry also finds reentry, and IL-6 finds IL6: hyphens between letters or digits go, unless all are digits.
    select
      case
        when f.form like '%-%' and f.form !~ '[\u0001-\u002c\u002e\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]|^[0-9-]+$'
          then replace(f.form, '-', '')
        else f.form
      end as form
  ) as j;
end
$$;

comment on function braid_store.token_forms(text[]) is
  'Every form, in lower case and before any dictionary, by which the tokens of a word are indexed; the place is counted '
  'from 0 within the word. Compounds with their parts take one position, runs of unspaced script one a character.';
