create or replace function braid_store.token_parts(tokens text[])
returns table (token_number int, part text)
language plpgsql
stable
parallel safe
security invoker
rows 1000
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  with compounds as materialized (
    -- From here on a comma replaces the point in a number, so that versions and decimals are not split.
    select c.token_number::int as token_number,
      regexp_replace(
        case when c.token ~ '[],;()[]' then translate(c.token, ',;()[]', '//////') else c.token end,
        E'([0-9])\\.(?=[0-9])', E'\\1,', 'g'
      ) as body
    from (
      select c.token_number, btrim(c.token, '.#@$£€¥₹+%') as token
      from unnest(token_parts.tokens) with ordinality as c (token, token_number)
      where c.token is not null
      offset 0 -- so that each token is trimmed only once
    ) as c
  ), paths as materialized (
    -- All separators of paths, URLs, addresses and qualified names become a slash. The list has every such character
    -- that a token can contain. Replacing each costs less than a pattern match.
    select c.token_number,
      case when c.body ~ E'[^A-Za-z0-9._''+,/\\u0080-\\U0010ffff-]' then
        replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(c.body,
        '->', '/'), ':', '/'), '@', '/'), '&', '/'), '#', '/'), '$', '/'), '%', '/'), '=', '/'), '?', '/'), E'\\', '/'),
        '!', '/'), '*', '/'), '~', '/')
      else c.body end as path
    from compounds c
  ), sections as (
    select p.token_number, unnest(string_to_array(p.path, '/')) as part
    from paths p
  ), segments as materialized (
    select p.token_number,
      unnest(string_to_array(
        replace(replace(replace(replace(replace(replace(p.path, '-', '/'), '.', '/'), '_', '/'), '''', '/'), '+', '/'),
                E'\u200d', '/'),
        '/')) as part
    from paths p
  ), atoms as (
    -- Atoms are cut where the case changes and between letters and digits, but not in a blob such as base64. Looking
    -- ahead doubles the cost of a match.
    select s.token_number,
      (regexp_matches(
        s.part,
        case when s.part ~ '[A-Z]' then E'[0-9]+(?:,[0-9]+)*|[A-Z]+(?![a-z])|[A-Z]?[a-z\\u0080-\\U0010ffff]+'
             else E'[0-9]+(?:,[0-9]+)*|[a-z\\u0080-\\U0010ffff]+' end,
        'g'))[1] as part
    from segments s
    where octet_length(s.part) <= 255
      and s.part ~ '[a-z][A-Z]|[A-Z]{2}[a-z]|[0-9][A-Za-z]|[A-Za-z][0-9]'
  ), sequences as (
    -- Sequences are versions, dates, times and IP addresses.
    select c.token_number,
      (regexp_matches(c.body, '[0-9]+(?:,[0-9]+)+|[0-9]+(?:-[0-9]+)+|[0-9]+(?::[0-9]+)+|[0-9]+(?:/[0-9]+)+', 'g'))[1]
        as part
    from compounds c
    where c.body ~ '[0-9][-,:/][0-9]'
  ), prefixes as (
    select p.token_number, array_to_string(p.numbers[1:p.n], p.separator) as part
    from (
      select p.token_number, p.separator, p.numbers, generate_series(1, least(cardinality(p.numbers), 16)) as n
      from (
        select d.token_number, d.separator, string_to_array(d.part, d.separator) as numbers
        from (
          select s.token_number, s.part, substr(ltrim(s.part, '0123456789'), 1, 1) as separator
          from sequences s
          offset 0
        ) as d
        offset 0
      ) as p
    ) as p
  )
  select a.token_number, replace(a.part, ',', '.')
  from (
    -- Some duplicates remain: the planner expects too many rows here, and would remove duplicates with a huge hash
    -- table.
    select s.token_number, s.part from sections s where s.part ~ '[-._''+]'
    union all
    select * from segments
    union all
    select * from atoms
    union all
    select * from prefixes
  ) as a
  where a.part <> '';
end
$$;

comment on function braid_store.token_parts(text[]) is
  'Return the parts of compound tokens, at three depths: sections (src/app/main.py: main.py), segments (main, py) '
  'and atoms (HTTPServer2: HTTP, Server, 2). A number with points keeps its points, and its prefixes are parts '
  'instead (17.2.1: 17, 17.2). Dates and times have prefixes besides their segments. token_number: the token''s '
  'index in the array; nulls are skipped.';
