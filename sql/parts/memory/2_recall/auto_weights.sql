create or replace function braid_store.auto_weights(
  query_text text,
  out full_text_factor float8,
  out semantic_factor float8,
  out reason text,
  out demanding_text text
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_code text;
  -- A longer query has more than 32 words, and is a text of its own.
  v_query text := left(query_text, 16384);
  v_word_count int := cardinality(regexp_split_to_array(btrim(v_query), E'\\s+'));
begin
  full_text_factor := 1;
  semantic_factor := 1;
  if v_word_count > 32 then
    reason := 'it is a text of its own';
    return;
  elsif v_query ~ '["“”„]' then
    full_text_factor := 2;
    reason := 'it quotes';
    return;
  end if;
  -- Match codes with four digits or more, hexadecimal numbers, versions (also "Python 3.11"), error numbers ("HTTP
  -- 404"), underscores, capitals inside a word, calls and paths. Skip names such as IL-6, p53 and mRNA: more full-text
  -- weight for them made results on SciFact worse. Also skip 18th, 1960s, Table 2.5 and and/or.
  v_code := substring(v_query from
    E'(?:^|[\\s(\\[])((?:[A-Za-z]+[-_]?\\d{4}|0[xX][0-9A-Fa-f]{4}|v?\\d+\\.\\d+\\.\\d|v\\d+\\.\\d'
    '|(?!Fig|Tab|Sec|Eq|Chap|Mach)[A-Z][A-Za-z]{2,} \\d+\\.\\d|(?![A-Z]+ (?:19|20)\\d\\d)[A-Z]{3,} \\d{2}[0-9A-Z]'
    '|(?:[Ee]rror|[Ee]rrno|[Cc]ode|[Ss]tatus) \\d{2}|[A-Za-z]+_\\w|[a-z]{2,}[A-Z][a-z]'
    '|[A-Za-z]\\w*(?:::|->|\\(\\))|[\\w.]*/[\\w.-]*[/.]\\w|[A-Za-z_][\\w-]*\\.[a-z_]\\w)[^\\s,;?!)\\]]*)');
  if v_code is null and v_word_count <= 4 then
    -- In a short query, a name with a number is likely the thing looked for: AB-12, XR-7, v3, Java 17.
    v_code := substring(v_query from
      E'(?:^|\\s)((?:[A-Z][A-Z0-9]*-\\d+|v\\d+|[A-Z][A-Za-z]+ (?!(?:19|20)\\d\\d)\\d+)[A-Z]?)(?=[,;?!.]?(?:\\s|$))');
  end if;
  if v_code is not null then
    full_text_factor := 2;
    if v_word_count <= 4 and v_query !~ '(?:^| )[+-]|[*]|(?:^| )OR(?: |$)' then
      demanding_text := (
        select nullif(string_agg(case when w.word ~ '^[A-Za-z0-9]' and strpos(v_code, rtrim(w.word, '.,;:!?)]')) > 0
                                           and w.word ~ case when v_code ~ '[0-9]' then '[0-9]'
                                                             else E'_|[a-z][A-Z]|::|->|\\w[/.]\\w' end
                                      then '+' else '' end || w.word, ' ' order by w.place), query_text)
        from string_to_table(v_query, ' ') with ordinality w (word, place));
    end if;
    reason := format('"%s" has one spelling', left(v_code, 60));
  elsif v_word_count >= 6 then
    reason := 'it is a question or description in words';
  else
    reason := 'it is a few plain words';
  end if;
end
$$;

comment on function braid_store.auto_weights(text) is
  'Return the factors by which strategy auto multiplies the legs'' weights for a query text, and the reason in words. '
  'demanding_text: the text of a short query with + before its codes and versions; null if it has none.';
