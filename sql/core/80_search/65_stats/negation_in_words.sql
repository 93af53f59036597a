create or replace function braid_store.negation_in_words(query_text text, text_config text)
returns text
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_quotes constant text := braid_store.quotation_marks();
  v_query text := translate(negation_in_words.query_text, c_quotes, repeat('"', length(c_quotes)));
  c_english constant text :=
    'other than|except(?: for)?|excluding|without|(?:but|and) not|rather than|apart from|aside from';
  -- In a sentence such as "why does it not start", not belongs to the verb.
  c_not constant text := 'not(?! (?:only|just|yet|sure|even|to|be|the same|[a-z]+(?:ing|ed))(?: |$))';
  c_verb constant text :=
    '(?i)(?:^|[ ,])(?:why|do|does|did|is|are|was|were|am|can|could|will|would|should|may|might|must|has|have|had|if)'
    '(?: |$)';
  v_pattern text;
begin
  -- A longer text is no query that somebody typed.
  if length(negation_in_words.query_text) > 300 then
    return null;
  end if;
  -- A quotation such as "Not without my daughter" is one word here.
  if strpos(v_query, '"') > 0 then
    v_query := (
      select string_agg(case when p.place % 2 = 0 and p.place < p.count then translate(p.part, ' ', E'\x01')
                             else p.part end, '"' order by p.place)
      from (select *, count(*) over () as count from string_to_table(v_query, '"') with ordinality t (part, place)) p);
  end if;
  v_pattern := case negation_in_words.text_config
    when 'german' then 'außer|ohne|ausgenommen|(?:aber|und) nicht|abgesehen von'
    when 'french' then 'sauf|sans|hormis|excepté|mais pas|autre que|autres que'
    when 'spanish' then 'excepto|sin|salvo|pero no|que no sean?|aparte de'
    when 'italian' then 'tranne|senza|eccetto|ma non|a parte|escluso'
    when 'portuguese' then 'exceto|sem|salvo|mas não|menos'
    when 'dutch' then 'behalve|zonder|maar niet|uitgezonderd'
    when 'swedish' then 'utom|utan|förutom|men inte'
    when 'danish' then 'undtagen|uden|bortset fra|men ikke'
    when 'norwegian' then 'unntatt|uten|bortsett fra|men ikke'
    when 'polish' then 'oprócz|bez|poza|ale nie'
    when 'russian' then 'кроме|без|за исключением|но не'
    when 'english' then
      c_english || case when v_query ~ c_verb then '' else '|' || c_not end
  end;
  return left(
    translate(
      substring(v_query from '(?i)(?:^|[ ,;(])((?:' || v_pattern
                             || ')(?: +(?:the|a|an|any|der|die|das|le|la|les|el|il))* +[^ ,;?!)]+)'),
      E'\x01', ' '),
    100);
end
$$;

comment on function braid_store.negation_in_words(text, text) is
  'Return the words of a query that seem to exclude something, such as "other than Java"; null if there are none, or '
  'if the configuration''s language has no list here. No leg understands them: the excluded word ranks like any other.';
