create or replace function braid_store.demanded_chunks(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  query braid_store.text_query
)
returns bigint[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
declare
  v_demanded bigint[];
begin
  execute format($query$
    select array(
      select u.chunk_id
      from unnest($2) with ordinality u (chunk_id, place),
           lateral (
             select f.lexemes, ' ' || f.lexemes || ' ' as words, f.position_ends, f.positions, f.title_frequencies
             from braid_store.forward_rows f
             where f.tenant_id = $1 and f.chunk_id = u.chunk_id
             offset 0
           ) f
      where %s and %s
      order by u.place)
    $query$,
    braid_store.demand_test(demanded_chunks.query.conditions),
    case when demanded_chunks.query.required_words < 1 then 'true' else $test$
      (select count(distinct q.word_number)
       from (select string_to_array(f.lexemes, ' ') collate "C" as lexemes offset 0) w,
            unnest($3, $4, $7) q (lexeme, word_number, phrase),
            lateral (select width_bucket(q.lexeme collate "C", w.lexemes) as place offset 0) p
       where q.word_number > 0 and w.lexemes[p.place] = q.lexeme
         and case when q.phrase is null
                  then $5 or f.position_ends[p.place] - coalesce(f.position_ends[p.place - 1], 0)
                             > coalesce(f.title_frequencies[p.place], 0)
                  else (select n.frequency > case when $5 then 0 else n.title_frequency end
                        from braid_store.phrase_frequency(q.phrase, w.lexemes, f.position_ends, f.positions,
                                                          f.title_frequencies) n) end) >= $6
      $test$ end)
  into v_demanded
  using demanded_chunks.tenant_id, demanded_chunks.chunk_ids, demanded_chunks.query.lexemes,
        demanded_chunks.query.word_numbers, demanded_chunks.collection.title_weight > 0,
        demanded_chunks.query.required_words, demanded_chunks.query.phrases;
  return v_demanded;
end
$$;

comment on function braid_store.demanded_chunks(int, braid_store.collections, bigint[], braid_store.text_query) is
  'Return the given chunks that meet all demands of a query, its conditions and its required words, in the order of '
  'chunk_ids.';
