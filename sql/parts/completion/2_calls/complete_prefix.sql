-- role: reader
create or replace function braid_calls.complete_prefix(
  prefix text,
  filters jsonb,
  collection text,
  match_count int,
  kinds text[]
)
returns table (completion text, kind text, frequency int, is_sampled boolean)
language plpgsql
stable
parallel unsafe
security definer
rows 10
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  c_max_prefix constant int := 1000;
  c_max_word constant int := 100;
  c_max_chunks constant int := 64;
  c_max_chunks_of_letter constant int := 32;
  -- The text of a chunk is read up to this character.
  c_text_length constant int := 4000;
  c_tail_length constant int := 120;
  c_most_words constant int := 4; -- The longest phrase has four words.
  -- These characters, white space, and a point before it end a word; they also end a phrase.
  c_stops constant text := E'\\u00a0\\u2000-\\u200f\\u2012-\\u2018\\u201a-\\u206f\\u3000-\\u3011'
    '"!?,;:()\\[\\]{}<>|*=`~«»¿¡\\uff01\\uff0c\\uff1a\\uff1b\\uff1f';
  c_ends constant text := E' \\t\\n\\r' || c_stops;
  c_word constant text := '[^' || c_ends || ']+';
  c_piece constant text := '^[^' || c_stops || ']+';
  -- These stand around a word, and may stand in it.
  c_signs constant text := '+-''’./#@&%$';
  c_unspaced constant text := '[' || braid_store.script_letters('unspaced') || ']';
  v_tenant_id int := braid_store.require_tenant_id();
  v_collection braid_store.collections;
  v_filter braid_store.filter;
  v_sample record;
  v_typed text := normalize(complete_prefix.prefix, nfc);
  v_word text; -- It is unfinished, or empty.
  v_before text; -- It precedes v_word in the typed text.
  v_context text[]; -- These are the last words of v_before.
  v_patterns text[];
  v_start text; -- An occurrence begins with this pattern.
  v_skipped int := 0; -- The first words of an occurrence were typed already.
  v_is_unspaced boolean;
  v_is_stop boolean[]; -- It says of the last words of v_context, last first, whether they are stop words.
  v_most_words int;
  v_title text; -- Titles match this pattern.
  v_dictionaries regdictionary[];
begin
  if v_typed is null then
    raise exception 'prefix is null'
      using errcode = '22023', hint = 'Give the text that was typed; an empty text has no completions.';
  elsif length(v_typed) > c_max_prefix then
    raise exception 'prefix has % characters, more than %', length(v_typed), c_max_prefix
      using errcode = '54000', hint = 'Give the end of the text that was typed.';
  elsif (complete_prefix.match_count between 1 and 100) is not true then
    raise exception 'match_count is %', coalesce(complete_prefix.match_count::text, 'null')
      using errcode = '22023', hint = 'Use 1 to 100.';
  elsif coalesce(cardinality(complete_prefix.kinds), 0) = 0
        or (complete_prefix.kinds <@ '{word,phrase,title}') is not true then
    raise exception 'kinds is %', coalesce(left(complete_prefix.kinds::text, 100), 'null')
      using errcode = '22023', hint = 'Give one or several of word, phrase and title: {word,title}.';
  end if;
  v_collection := braid_store.find_collection(complete_prefix.collection);
  v_filter := braid_store.compile_filter(complete_prefix.filters, v_tenant_id, v_collection.id);

  v_dictionaries := braid_store.token_dictionaries(v_collection.text_config);
  v_word := substring(v_typed from '[^' || c_ends || ']*$');
  v_is_unspaced := v_word ~ (c_unspaced || '$');
  if v_is_unspaced then
    v_word := substring(v_word from c_unspaced || '{1,8}$');
    -- If no text has two of the characters side by side, another word ends between them.
    v_word := substr(v_word, 1 + coalesce((
      select max(n) from generate_series(1, length(v_word) - 1) n
      where not exists (
        select from braid_store.postings p
        where p.tenant_id = v_tenant_id and p.collection_id = v_collection.id
          and p.lexeme = substr(v_word, n, 2)
          and (v_collection.parts is null
               or coalesce(braid_store.extend_hidden_lexemes(v_tenant_id, v_collection, array[p.lexeme]), '{}')
                  = '{}'))), 0));
  else
    -- Signs of the query language may stand before a word.
    v_word := ltrim(v_word, c_signs);
  end if;
  v_before := left(v_typed, length(v_typed) - length(v_word));
  v_context := array(
    select w.word
    from regexp_matches(right(v_before, 200), c_word, 'g') with ordinality r (m, place),
         btrim(r.m[1], c_signs) w (word)
    where w.word <> ''
    order by r.place);
  v_context := v_context[greatest(1, cardinality(v_context) - 3):];
  if length(v_word) > c_max_word or v_word = '' and v_context = '{}' then
    return;
  end if;

  select s.chunk_ids, s.is_sampled into v_sample
  from braid_store.completion_sample(
    v_tenant_id, v_collection, v_filter, case when v_is_unspaced then '' else v_word end,
    v_context || case when v_is_unspaced then array[v_word] else '{}' end,
    case when length(v_word) = 1 and not v_is_unspaced then c_max_chunks_of_letter else c_max_chunks end) s;

  v_patterns := array(
    select braid_store.prefix_pattern(left(w, c_max_word), v_collection.fold_diacritics)
    from unnest(v_context) with ordinality u (w, place) order by u.place);
  if v_word <> '' then
    v_start := braid_store.prefix_pattern(v_word, v_collection.fold_diacritics);
  else
    v_start := v_patterns[cardinality(v_patterns)] || E'(?=[ \\n])';
    v_patterns := v_patterns[:cardinality(v_patterns) - 1];
    v_skipped := 1;
  end if;
  v_is_stop := array(
    select coalesce(ts_lexize(v_dictionaries[1], braid_store.token_lower(v_context[n - v_skipped])) = '{}', false)
    from generate_series(cardinality(v_context), greatest(1, cardinality(v_context) - 1), -1) n);
  v_patterns := array(
    select '(?:^|[' || c_ends || E'./''’&#@+-])' || array_to_string(v_patterns[n:], E'[ \\n]+') || E'[ \\n]+$'
    from generate_series(
           cardinality(v_patterns),
           greatest(1, cardinality(v_patterns) - (v_is_stop[1] or not v_is_stop[2])::int), -1) n);

  v_title := '^' || array_to_string(array(
    select braid_store.prefix_pattern(w, v_collection.fold_diacritics)
    from string_to_table(btrim(regexp_replace(v_typed, E'[ \n\t]+', ' ', 'g')), ' ') w), E'[ \\n]+');
  v_most_words := case when v_is_unspaced then 6 when 'phrase' = any (complete_prefix.kinds) then c_most_words
                       else 1 end;

  return query
  with texts as materialized (
    select u.chunk_id, c.document_id, d.title,
           concat_ws(E'\n\n', case when c.chunk_index = 0 then d.title end, c.speaker, left(c.content, c_text_length))
             as text
    from unnest(v_sample.chunk_ids) u (chunk_id),
         lateral (
           select c.* from braid_store.chunks c
           where c.tenant_id = v_tenant_id and c.id between u.chunk_id and u.chunk_id
           order by c.id
           offset 0
         ) c,
         lateral (
           select d.title from braid_store.documents d
           where d.tenant_id = v_tenant_id and d.id between c.document_id and c.document_id
           order by d.id
           offset 0
         ) d
    where c.collection_id = v_collection.id
  ), occurrences as materialized (
    select t.chunk_id, substr(t.text, o.start, c_tail_length) as tail,
           case when v_patterns[1] is not null then substr(t.text, greatest(o.start - 80, 1), least(o.start - 1, 80))
           end as head,
           -- A capital at the start of a sentence tells nothing about how the word is written.
           substr(t.text, greatest(o.start - 2, 1), least(o.start - 1, 2)) ~ E'^$|[\\n.!?:"“]' as is_first
    from texts t,
         lateral (
           select (1 + sum(length(p.piece)) over (order by p.place
                     rows between unbounded preceding and 1 preceding))::int as start
           from string_to_table(
                  regexp_replace(t.text collate "C",
                                 case when v_is_unspaced then '()' else E'(^|[' || c_ends || E'./''’&#@+-])' end
                                 || '(' || v_start || ')', E'\\1\u0001\\2', 'g'), E'\u0001')
                with ordinality p (piece, place)
         ) o
    where o.start is not null
  ), words as materialized (
    select o.chunk_id, o.is_first,
           case when o.head is null then 0 when o.head ~ v_patterns[2] then 2 when o.head ~ v_patterns[1] then 1
                else 0 end as level,
           case when v_is_unspaced
                then array(select left(r.run, n) from (select substring(o.tail from '^' || c_unspaced || '+') as run) r,
                           generate_series(length(v_word) + 1, least(length(r.run), length(v_word) + 6)) n)
                -- A word that was cut is left out.
                else trim_array(w.words, least(cardinality(w.words), (length(o.tail) = c_tail_length)::int))
           end as words
    from occurrences o,
         lateral (
           select array_remove(string_to_array(translate(
                    substring(replace(o.tail, E'\n\n', '|') collate "C" from c_piece), E'\n\r\t', '   '), ' '), '')
                  as words
           offset 0
         ) w
  ), least_level as materialized (
    -- Words that follow fewer of the words typed before are only proposed if none follows more; a stop word alone
    -- tells little.
    select case when max(w.level) = 2 and not v_is_stop[1] then 1 else max(w.level) end as least from words w
  ), grams as materialized (
    select g.chunk_id, g.is_first, g.level, g.length, g.gram,
           case when octet_length(g.gram) = length(g.gram) then lower(g.gram collate "C")
                else braid_store.token_lower(g.gram) end as key
    from (
      select w.chunk_id, w.is_first, w.level, n as length,
             case when v_is_unspaced then w.words[n]
                  else rtrim(array_to_string(w.words[1 + v_skipped : n + v_skipped], ' '), c_signs) end as gram
      from words w, (values (1), (2), (3), (4), (5), (6)) l (n)
      where n <= least(cardinality(w.words) - v_skipped, v_most_words)
        -- Without words before it in the texts, a word is all that is proposed.
        and (v_is_unspaced or n = 1 or v_patterns[1] is null or w.level > 0)
        and w.level >= (select l.least from least_level l)
      offset 0
    ) g
    -- A phrase does not go beyond the end of a sentence.
    where g.gram <> '' and right(g.gram, 1) <> ' ' and strpos(g.gram, '. ') = 0
  ), counted as materialized (
    select c.key, c.length, c.level, c.frequency, c.shorter_key,
           -- No completion ends in a stop word, and no phrase begins with one that was not typed.
           coalesce(v_is_unspaced or not (
             ts_lexize(v_dictionaries[case when octet_length(c.last_word) = length(c.last_word) then 1 else 2 end],
                       c.last_word) = '{}'
             or c.length > 1 and v_patterns[1] is null and v_skipped = 0
                and ts_lexize(v_dictionaries[1], split_part(c.key, ' ', 1)) = '{}'), true) as is_whole
    from (
      select distinct on (g.key, g.length) g.key, g.length, g.level, split_part(g.key, ' ', -1) as last_word,
             left(g.key, case when v_is_unspaced then -1 else -length(split_part(g.key, ' ', -1)) - 1 end)
               as shorter_key,
             count(distinct g.chunk_id)::int as frequency
      from grams g
      group by g.key, g.length, g.level
      order by g.key, g.length, g.level desc
    ) c
  ), longer as materialized (
    select c.shorter_key as key, max(c.frequency) as frequency from counted c where c.is_whole group by c.shorter_key
  ), found as (
    select 'title' as kind, braid_store.token_lower(t.title) as key, null::int as length, t.title as completion,
           0 as level, count(distinct t.document_id)::int as frequency
    from texts t
    where t.title collate "C" ~ v_title
    group by t.title
    union all
    select case when c.length = 1 and not v_is_unspaced then 'word' else 'phrase' end, c.key, c.length, null, c.level,
           c.frequency
    from counted c
    left join longer l on l.key = c.key and (c.length > 1 or v_is_unspaced)
    where c.is_whole and c.key <> braid_store.token_lower(v_word)
      and (c.frequency > 1 or c.length = 1 and not v_is_unspaced)
      -- A phrase that mostly goes on is left out.
      and (l.frequency >= 0.7 * c.frequency) is not true
  ), ranked as materialized (
    select f.*, row_number() over (partition by f.kind order by f.level desc, f.frequency desc,
                                   length(coalesce(f.key, f.completion)), coalesce(f.key, f.completion) collate "C")
                  as place
    from found f
    where f.kind = any (complete_prefix.kinds)
      -- A title stands for the same words.
      and (f.length is null or not exists (
             select from found t
             where t.length is null and 'title' = any (complete_prefix.kinds)
               and t.key = braid_store.token_lower(v_before) || f.key))
    -- Each kind has its share.
    order by place, array_position(complete_prefix.kinds, f.kind)
    limit complete_prefix.match_count
  ), written as (
    -- The form that most texts have; at the start of a sentence, a capital tells nothing.
    select distinct on (g.key, g.length) g.key, g.length, g.gram
    from ranked r
    join grams g on g.key = r.key and g.length = r.length
    group by g.key, g.length, g.gram
    order by g.key, g.length, count(*) filter (where not g.is_first) desc, count(*) desc, g.gram collate "C" desc
  )
  select coalesce(r.completion, v_before || w.gram), r.kind, r.frequency, v_sample.is_sampled
  from ranked r
  left join written w on w.key = r.key and w.length = r.length
  order by array_position(complete_prefix.kinds, r.kind), r.place;
end
$$;

comment on function braid_calls.complete_prefix(text, jsonb, text, int, text[]) is
  'Do the work of braid.complete, for the tenant of the session. The work has a bound, however many chunks there are.';
