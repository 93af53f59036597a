create or replace function braid_store.query_identifiers(query_text text)
returns text[]
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  -- A longer query has more than 32 words, and is a text of its own.
  v_query text := regexp_replace(left(query_text, 16384), '["“”„][^"“”„]*["“”„]', ' ', 'g');
  v_word_count int := cardinality(regexp_split_to_array(btrim(v_query), E'\\s+'));
  v_codes text[];
begin
  if v_word_count > 32 then
    return '{}';
  end if;
  -- Match codes with four digits or more, hexadecimal numbers, versions (also "Python 3.11"), error numbers ("HTTP
  -- 404"), underscores, capitals inside a word, calls and paths. Skip names such as IL-6, p53 and mRNA: more full-text
  -- weight for them made results on SciFact worse. Also skip 18th, 1960s, Table 2.5 and and/or.
  v_codes := array(
    select m[1] from regexp_matches(
      v_query,
      E'(?:^|[\\s(\\[])((?:[A-Za-z]+[-_]?\\d{4}|0[xX][0-9A-Fa-f]{4}|v?\\d+\\.\\d+\\.\\d|v\\d+\\.\\d'
      '|(?!Fig|Tab|Sec|Eq|Chap|Mach)[A-Z][A-Za-z]{2,} \\d+\\.\\d|(?![A-Z]+ (?:19|20)\\d\\d)[A-Z]{3,} \\d{2}[0-9A-Z]'
      '|(?:[Ee]rror|[Ee]rrno|[Cc]ode|[Ss]tatus) \\d{2}|[A-Za-z]+_\\w|[a-z]{2,}[A-Z][a-z]'
      '|[A-Za-z]\\w*(?:::|->|\\(\\))|[\\w.]*/[\\w.-]*[/.]\\w|[A-Za-z_][\\w-]*\\.[a-z_]\\w)[^\\s,;?!)\\]]*)',
      'g') m);
  if v_codes = '{}' and v_word_count <= 4 then
    -- In a short query, a name with a number is likely the thing looked for: AB-12, XR-7, v3, Java 17.
    v_codes := array(
      select m[1] from regexp_matches(
        v_query,
        E'(?:^|\\s)((?:[A-Z][A-Z0-9]*-\\d+|v\\d+|[A-Z][A-Za-z]+ (?!(?:19|20)\\d\\d)\\d+)[A-Z]?)(?=[,;?!.]?(?:\\s|$))',
        'g') m);
  end if;
  return array(
    select w.word
    from (
      select distinct on (w.word) w.word, w.place
      from string_to_table(v_query, ' ') with ordinality w (word, place),
           unnest(v_codes) c (code)
      where w.word ~ '^[([]?[A-Za-z0-9./_]' and strpos(c.code, btrim(w.word, '([.,;:!?)]')) > 0
        and w.word ~ case when c.code ~ '[0-9]' then '[0-9]' else E'_|[a-z][A-Z]|::|->|\\(\\)|\\w[/.]\\w' end
      order by w.word, w.place
    ) w
    order by w.place
    limit 8);
end
$$;

comment on function braid_store.query_identifiers(text) is
  'Return the words of a query that have one spelling, in their order: versions, codes, identifiers and paths; at '
  'most 8. In "Java 17" it is the number. Quoted text is left out.';
