create or replace function braid_store.completed_words(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  word text,
  context text[],
  is_unspaced boolean,
  most_words int,
  excluded text[],
  max_count int
)
returns table (completion text, kind text, place bigint, frequency int)
language plpgsql
stable
parallel unsafe
security invoker
rows 20
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  -- These are no part of a word at its end, but C++, C# and 50% are words.
  c_end_signs constant text := '''’./@&-';
  v_dictionaries regdictionary[] := braid_store.token_dictionaries(collection.text_config);
  v_typed text := rtrim(braid_store.token_lower(word), c_end_signs);
  -- True if no other word was typed before the word from which completions go on.
  v_can_be_alone boolean := cardinality(context) = (word = '')::int;
begin
  return query
  with grams as materialized (
    select g.chunk_id, g.is_first, g.level, g.length, g.gram,
           case when octet_length(g.gram) = length(g.gram) then lower(g.gram collate "C")
                else braid_store.token_lower(g.gram) end as key
    from (
      select o.chunk_id, o.is_first, o.level, n as length,
             case when is_unspaced then left(o.words[1], length(completed_words.word) + n)
                  else rtrim(array_to_string(o.words[:n], ' '), c_end_signs) end as gram
      from braid_store.word_occurrences(tenant_id, collection, completed_words.chunk_ids, completed_words.word,
                                        completed_words.context, is_unspaced) o,
           generate_series(1, most_words) n
      where n <= case when is_unspaced then length(o.words[1]) - length(completed_words.word)
                      else cardinality(o.words) end
        -- Without words before it in the texts, a word is all that is proposed.
        and (n = 1 or is_unspaced or v_can_be_alone or o.level > 0)
      offset 0
    ) g
    -- A phrase does not go beyond the end of a sentence.
    where g.gram <> '' and right(g.gram, 1) <> ' ' and strpos(g.gram, '. ') = 0
  ), counted as materialized (
    select c.key, c.length, c.level, c.frequency, c.shorter_key,
           -- No completion ends in a stop word.
           is_unspaced
           or (ts_lexize(v_dictionaries[case when octet_length(c.last_word) = length(c.last_word) then 1 else 2 end],
                         c.last_word) = '{}') is not true as is_whole
    from (
      select distinct on (g.key, g.length) g.key, g.length, g.level, split_part(g.key, ' ', -1) as last_word,
             left(g.key, case when is_unspaced then -1 else -length(split_part(g.key, ' ', -1)) - 1 end) as shorter_key,
             count(distinct g.chunk_id)::int as frequency
      from grams g
      group by g.key, g.length, g.level
      order by g.key, g.length, g.level desc
    ) c
  ), longer as materialized (
    select c.shorter_key as key, max(c.frequency) as frequency from counted c where c.is_whole group by c.shorter_key
  ), ranked as materialized (
    select r.*
    from (
      select c.key, c.length, k.kind, c.frequency,
             row_number() over (partition by k.kind order by c.level desc, c.frequency desc, length(c.key),
                                             c.key collate "C") as place
      from counted c
      left join longer l on l.key = c.key and (c.length > 1 or is_unspaced),
      lateral (select case when c.length = 1 and not is_unspaced then 'word' else 'phrase' end as kind offset 0) k
      where c.is_whole and rtrim(c.key, c_end_signs) <> v_typed and c.key <> all (excluded)
        and (c.frequency > 1 or k.kind = 'word')
        -- A phrase that mostly goes on is left out.
        and (l.frequency >= 0.7 * c.frequency) is not true
    ) r
    where r.place <= max_count
  )
  -- The form that most texts have; at the start of a sentence, a capital tells nothing.
  select distinct on (g.key, g.length) g.gram, r.kind, r.place, r.frequency
  from ranked r
  join grams g on g.key = r.key and g.length = r.length
  group by g.key, g.length, g.gram, r.kind, r.place, r.frequency
  order by g.key, g.length, count(*) filter (where not g.is_first) desc, count(*) desc, g.gram collate "C" desc;
end
$$;

comment on function braid_store.completed_words(
  int, braid_store.collections, bigint[], text, text[], boolean, int, text[], int
) is
  'Return what texts of the given chunks have for an unfinished word, or for the word after context. They are up to '
  'max_count words, and as many phrases of up to most_words, each with its place and the number of chunks. excluded: '
  'words and phrases in small letters that are left out.';
