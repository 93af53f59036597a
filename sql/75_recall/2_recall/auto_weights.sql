create or replace function braid_store.auto_weights(
  query_text text,
  out full_text_factor float8,
  out semantic_factor float8,
  out reason text
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_code text;
  -- A longer query is a text of its own.
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
  -- Finds codes with four digits or more, versions, underscores, capitals inside a word, calls and paths. Leaves out
  -- names such as IL-6, p53 and mRNA: more weight on full text for them gives worse results on SciFact. Also leaves out
  -- 18th, 1960s and and/or.
  v_code := substring(v_query from
    E'(?:^|[\\s(\\[])((?:[A-Za-z]+[-_]?\\d{4}|v?\\d+\\.\\d+\\.\\d|v\\d+\\.\\d|[A-Za-z]+_\\w|[a-z]{2,}[A-Z][a-z]'
    '|[A-Za-z]\\w*(?:::|->|\\(\\))|[\\w.]*/[\\w.-]*[/.]\\w|[A-Za-z_]\\w*\\.[a-z_]\\w)[^\\s,;?!)\\]]*)');
  if v_code is not null then
    full_text_factor := 2;
    reason := format('"%s" has one spelling', left(v_code, 60));
  elsif v_word_count >= 6 then
    reason := 'it is a question or description in words';
  else
    reason := 'it is a few plain words';
  end if;
end
$$;

comment on function braid_store.auto_weights(text) is
  'Returns the factors by which the strategy auto multiplies the weights of the legs for a query text, and the reason '
  'in words.';
