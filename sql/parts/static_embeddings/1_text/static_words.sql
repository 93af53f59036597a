create or replace function braid_store.static_words(embedder_id int, content text)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  c_controls constant text := E'[\\u0001-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]';
  c_few_letters constant int := 50;
  v_text text := static_words.content;
  v_replacements jsonb;
  v_letter record;
begin
  if octet_length(v_text) > length(v_text) then
    v_text := normalize(v_text, nfd);
    v_replacements := (
      select jsonb_object_agg(l.letter, r.replacement)
      from (
        select distinct s.letter
        from string_to_table(regexp_replace(v_text collate "C", E'[\\u0001-\\u007f]+', '', 'g'), null) s (letter)
        where s.letter <> ''
      ) l,
           lateral (
             select coalesce(e.replacement, ' ' || l.letter || ' ') as replacement, e.last_code
             from braid_store.static_embedder_letters e
             where e.embedder_id = static_words.embedder_id and e.first_code <= ascii(l.letter)
             order by e.first_code desc
             limit 1
           ) r
      where ascii(l.letter) <= r.last_code);
    if (select count(*) from jsonb_object_keys(v_replacements)) <= c_few_letters then
      for v_letter in select * from jsonb_each_text(v_replacements) loop
        v_text := replace(v_text, v_letter.key, v_letter.value);
      end loop;
    elsif v_replacements is not null then
      -- The work of the loop would grow with the square of the text.
      v_text := (
        select string_agg(coalesce(r.value, s.letter), '' order by s.place)
        from string_to_table(v_text, null) with ordinality s (letter, place)
        left join jsonb_each_text(v_replacements) r on r.key = s.letter);
    end if;
  end if;
  if v_text collate "C" ~ c_controls then
    v_text := regexp_replace(v_text collate "C", c_controls, '', 'g');
  end if;
  return string_to_array(
    regexp_replace(translate(lower(v_text collate "C"), E'\t\n\r', '   '), E'([!-/:-@\\[-`{-~])', E' \\1 ', 'g'), ' ');
end
$$;

comment on function braid_store.static_words(int, text) is
  'Return the words of a text as the tokenizer of a static embedder sees them, among empty texts: in lower case and '
  'without accents. Each sign and each ideograph is a word.';
