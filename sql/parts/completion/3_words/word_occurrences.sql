create or replace function braid_store.word_occurrences(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  word text,
  context text[],
  is_unspaced boolean
)
returns table (chunk_id bigint, is_first boolean, level int, words text[])
language plpgsql
stable
parallel unsafe
security invoker
rows 500
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_sort = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  -- The text of a chunk is read up to this character, or to its share of all that is read. A short word may stand
  -- anywhere, and each place takes as long as hundreds of characters.
  c_text_length constant int := 4000;
  c_short_word constant int := 3;
  c_characters constant int := 256000;
  c_characters_of_short_word constant int := 100000;
  c_tail_length constant int := 120;
  c_most_occurrences constant int := 1024;
  c_fewest_of_text constant int := 16;
  v_chunk_count int := greatest(1, cardinality(chunk_ids));
  v_most_of_text int := greatest(c_fewest_of_text, c_most_occurrences / v_chunk_count);
  v_text_length int := least(c_text_length, case when length(word) <= c_short_word then c_characters_of_short_word
                                                 else c_characters end / v_chunk_count);
  v_dictionaries regdictionary[] := braid_store.token_dictionaries(collection.text_config);
  v_patterns record := braid_store.typed_patterns(word, context, collection);
  v_has_context boolean := context <> '{}';
  v_head_length int := case when v_has_context then 80 else 2 end;
  v_piece text := '^[^' || braid_store.phrase_ends() || ']+';
  v_run text := '^[' || braid_store.script_letters('unspaced') || ']+';
  v_marked text := case when is_unspaced then '()'
                        else E'(^|[ \\t\\n\\r' || braid_store.phrase_ends() || braid_store.word_signs() || '])' end
                   || '(' || v_patterns.start || ')';
begin
  return query
  select o.chunk_id,
         -- A capital at the start of a sentence tells nothing about how the word is written.
         right(left(o.text, o.head_length), 2) ~ E'^$|[\\n.!?:"“]', o.level,
         case when is_unspaced then array[substring(substr(o.text, o.head_length + 1) from v_run)]
              -- A word that was cut is left out.
              else (trim_array(w.words, least(cardinality(w.words), (length(p.piece) = c_tail_length)::int)))
                   [1 + v_patterns.skipped:] end
  from (
    select l.*, max(l.level) over () as most
    from (
      select n.*,
             case when v_patterns.heads[1] is null then 0 when left(n.text, n.head_length) ~ v_patterns.heads[2] then 2
                  when left(n.text, n.head_length) ~ v_patterns.heads[1] then 1 else 0 end as level
      from (
        select u.chunk_id,
               -- Below, this character marks the places.
               replace(braid_store.composed_text(concat_ws(E'\n\n', case when c.chunk_index = 0 then (
                                   select d.title from braid_store.documents d
                                   where d.tenant_id = word_occurrences.tenant_id
                                     and d.id between c.document_id and c.document_id
                                   order by d.id
                                   limit 1) end, c.speaker, left(c.content, v_text_length))), E'\u0001', ' ') as text
        from unnest(word_occurrences.chunk_ids) u (chunk_id),
             lateral (
               select c.* from braid_store.chunks c
               where c.tenant_id = word_occurrences.tenant_id and c.id between u.chunk_id and u.chunk_id
               order by c.id
               offset 0
             ) c
        where c.collection_id = word_occurrences.collection.id
        offset 0
      ) t,
      lateral (
        select p.piece,
               (1 + sum(length(p.piece)) over (order by p.place rows between unbounded preceding and 1 preceding))::int
                 as start
        from string_to_table(regexp_replace(t.text collate "C", v_marked, E'\\1\u0001\\2', 'g'), E'\u0001')
               with ordinality p (piece, place)
        limit v_most_of_text + 1
      ) o,
      lateral (select split_part(translate(o.piece, E'\n\r\t', '   '), ' ', 1) as word offset 0) f,
      lateral (select least(o.start - 1, v_head_length) as length offset 0) h,
      -- To find a place in a text, PostgreSQL counts the text's characters, so this happens once.
      lateral (
        select t.chunk_id, h.length as head_length, substr(t.text, o.start - h.length, h.length + c_tail_length) as text
        offset 0
      ) n
      where o.start is not null
        -- No phrase begins with a stop word unless a word before it was typed.
        and (v_has_context or is_unspaced
             or (case when octet_length(f.word) = length(f.word)
                      then ts_lexize(v_dictionaries[1], lower(f.word collate "C"))
                      else ts_lexize(v_dictionaries[2], braid_store.token_lower(f.word)) end = '{}') is not true)
      offset 0
    ) l
  ) o,
  lateral (
    select substring(replace(substr(o.text, o.head_length + 1), E'\n\n', '||') collate "C" from v_piece) as piece
    offset 0
  ) p,
  lateral (
    select array_remove(string_to_array(translate(p.piece, E'\n\r\t', '   '), ' '), '') as words
    offset 0
  ) w
  -- Words that follow fewer of the words typed before are only proposed if none follows more; a stop word alone tells
  -- little.
  where o.level >= case when o.most = 2 and not v_patterns.is_after_stop_word then 1 else o.most end;
end
$$;

comment on function braid_store.word_occurrences(int, braid_store.collections, bigint[], text, text[], boolean) is
  'Return the places in chunks'' texts where the unfinished word, or the word after context, may stand, up to a number '
  'in each text. level: how many words before the place were typed. words: the words from there to the end of the '
  'phrase; in scripts without spaces, one run of letters.';
