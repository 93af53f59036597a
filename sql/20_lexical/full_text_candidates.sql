create or replace function braid_store.full_text_candidates(
  tenant_id int,
  collection braid_store.collections,
  lexemes text[],
  weights float8[],
  word_numbers int[],
  required_words int,
  average_length float8,
  filter text,
  min_score float8,
  candidate_count int
)
returns table (chunk_id bigint, score float8, rank int)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- A hash aggregate adds in the order in which rows come; a sort by chunk would mix up the lexemes of one.
set enable_hashagg = on
set enable_sort = off
as $$
begin
  return query execute format($query$
    with hits as (
      select p.segment_id, q.weight, 1::bigint << q.word_number %% 64 as word,
             unnest(p.chunk_numbers) as chunk_number,
             unnest(p.body_frequencies) as body_frequency, unnest(p.title_frequencies) as title_frequency,
             unnest(p.body_lengths) as body_length, unnest(p.title_lengths) as title_length
      from unnest($3, $4, $5) q (lexeme, weight, word_number),
           -- Offset 0 keeps the order of the lexemes, hence of every sum: equal chunks get equal scores to the last bit.
           lateral (
             select * from braid_store.postings p
             where p.tenant_id = $1 and p.collection_id = $2 and p.lexeme = q.lexeme
             offset 0
           ) p
    ), weighted as (
      -- BM25F with one length for all fields (Robertson & Zaragoza 2009, section 3.6).
      select h.segment_id, h.chunk_number, h.weight, h.word,
             h.body_frequency + $6 * coalesce(h.title_frequency, 0) as frequency,
             (h.body_length + $6 * coalesce(h.title_length, 0)) / $7 as relative_length
      from hits h
    ), scores as (
      select w.segment_id, w.chunk_number,
             sum(w.weight * w.frequency / (w.frequency + $8 * (1 - $9 + $9 * w.relative_length))) as score
      from weighted w
      where w.frequency > 0
      group by w.segment_id, w.chunk_number
      having bit_count(bit_or(w.word)::bit(64)) >= $10
    ), live as materialized (
      select s.segment_id, s.chunk_number, s.score
      from scores s
      %1$s
      where s.score >= $11
        and (s.segment_id, s.chunk_number) not in (
          select sc.segment_id, sc.chunk_number
          from braid_store.tombstones t,
               lateral (
                 select sc.segment_id, sc.chunk_number from braid_store.segment_chunks sc
                 where sc.tenant_id = $1 and sc.chunk_id = t.chunk_id
                 offset 0
               ) sc
          where t.tenant_id = $1 and t.collection_id = $2)
    ), best as (
      -- All that tie with the last one. Not FETCH … WITH TIES, which sorts every row instead of keeping a heap.
      select l.segment_id, l.chunk_number, l.score
      from live l
      where l.score >= (select min(k.score) from (select score from live order by score desc limit $12) k)
    )
    select sc.chunk_id, b.score,
           row_number() over (order by b.score desc, d.external_id, c.chunk_index)::int as rank
    from best b,
         -- By key, one by one: without statistics the planner cannot tell that a tenant has more than a few chunks.
         lateral (
           select sc.chunk_id from braid_store.segment_chunks sc
           where sc.tenant_id = $1 and sc.collection_id = $2 and sc.segment_id = b.segment_id
             and sc.chunk_number = b.chunk_number
           offset 0
         ) sc,
         lateral (
           select c.document_id, c.chunk_index from braid_store.chunks c
           where c.tenant_id = $1 and c.id = sc.chunk_id
           offset 0
         ) c,
         lateral (
           select d.external_id from braid_store.documents d where d.tenant_id = $1 and d.id = c.document_id offset 0
         ) d
    order by rank
    limit $12
    $query$,
    case
      when filter <> 'true' then format($filtered$
      cross join lateral (
        select sc.chunk_id from braid_store.segment_chunks sc
        where sc.tenant_id = $1 and sc.collection_id = $2 and sc.segment_id = s.segment_id
          and sc.chunk_number = s.chunk_number
        offset 0
      ) sc
      cross join lateral (
        select from braid_store.chunks c where c.tenant_id = $1 and c.id = sc.chunk_id and (%s) offset 0
      ) c$filtered$, filter)
    end)
  using tenant_id, collection.id, lexemes, weights, word_numbers, collection.title_weight,
        -- All live chunks may be empty or of stop words alone: then every relative length is 0.
        coalesce(nullif(average_length, 0), 1), collection.k1, collection.b, required_words,
        coalesce(min_score, '-infinity'), candidate_count;
end
$$;

comment on function braid_store.full_text_candidates(int, braid_store.collections, text[], float8[], int[], int, float8,
                                                     text, float8, int) is
  'The chunks of the highest BM25 scores under a filter, from 1, ties by external_id and chunk_index. Lexemes come in '
  '"C" order, each with its weight (times in the query × idf) and the query word that it belongs to.';
