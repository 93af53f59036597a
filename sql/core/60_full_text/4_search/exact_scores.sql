create or replace function braid_store.exact_scores(
  tenant_id int,
  collection braid_store.collections,
  chunk_ids bigint[],
  query braid_store.text_query
)
returns float8[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_k1 float8 := exact_scores.collection.k1;
  v_b float8 := coalesce(exact_scores.collection.b, braid_store.adaptive_b(exact_scores.query.average_length));
  v_title_weight float8 := exact_scores.collection.title_weight;
  v_lexemes text[] := exact_scores.query.lexemes;
  v_weights float8[] := exact_scores.query.weights;
  v_term_numbers int[] := exact_scores.query.term_numbers;
  v_average_length float8 := exact_scores.query.average_length;
  v_phrases text[] := exact_scores.query.phrases;
begin
  if cardinality(v_phrases) = 0 and v_term_numbers[cardinality(v_term_numbers)] = cardinality(v_term_numbers) then
    -- Most queries have one lexeme for each term, so this query omits the grouping by term. Its formula is the same as
    -- in the query below.
    return array(
      select (
        select sum(t.weight * t.frequency / (t.frequency + f.saturation))
        from (
          select w.weight,
                 f.position_ends[w.place] - coalesce(f.position_ends[w.place - 1], 0)
                 + (v_title_weight - 1) * coalesce(f.title_frequencies[w.place], 0) as frequency
          from (
            select q.lexeme, q.weight, width_bucket(q.lexeme collate "C", f.lexemes) as place
            from unnest(v_lexemes, v_weights) q (lexeme, weight)
            offset 0
          ) w
          where f.lexemes[w.place] = w.lexeme
          offset 0
        ) t
        where t.frequency > 0
      )
      from unnest(exact_scores.chunk_ids) with ordinality u (chunk_id, place)
      left join lateral (
        select string_to_array(f.lexemes, ' ') collate "C" as lexemes, f.position_ends, f.title_frequencies,
               v_k1 * (1 - v_b + v_b * (f.body_length + v_title_weight * f.title_length) / v_average_length)
                 as saturation
        from braid_store.forward_rows f
        where f.tenant_id = exact_scores.tenant_id and f.chunk_id = u.chunk_id
        offset 0
      ) f on true
      order by u.place);
  end if;
  return array(
    select (
      -- This is BM25F with one length for all fields (Robertson & Zaragoza 2009, section 3.6). Scores are summed in the
      -- order of the terms, so that equal chunks get equal scores to the last bit.
      select sum(t.weight * t.frequency / (t.frequency + f.saturation))
      from (
        select q.weight,
               sum(case when q.phrase is null
                        then f.position_ends[w.place] - coalesce(f.position_ends[w.place - 1], 0)
                             + (v_title_weight - 1) * coalesce(f.title_frequencies[w.place], 0)
                        else (select p.frequency + (v_title_weight - 1) * p.title_frequency
                              from braid_store.phrase_frequency(q.phrase, f.lexemes, f.position_ends, f.positions,
                                                                f.title_frequencies) p) end) as frequency
        from unnest(v_lexemes, v_weights, v_term_numbers, v_phrases) q (lexeme, weight, term_number, phrase),
             lateral (select width_bucket(q.lexeme collate "C", f.lexemes) as place offset 0) w
        where f.lexemes[w.place] = q.lexeme
        group by q.term_number, q.weight
        order by q.term_number
      ) t
      where t.frequency > 0
    )
    from unnest(exact_scores.chunk_ids) with ordinality u (chunk_id, place)
    left join lateral (
      select string_to_array(f.lexemes, ' ') collate "C" as lexemes, f.position_ends, f.positions, f.title_frequencies,
             v_k1 * (1 - v_b + v_b * (f.body_length + v_title_weight * f.title_length) / v_average_length)
               as saturation
      from braid_store.forward_rows f
      where f.tenant_id = exact_scores.tenant_id and f.chunk_id = u.chunk_id
      offset 0
    ) f on true
    order by u.place);
end
$$;

comment on function braid_store.exact_scores(int, braid_store.collections, bigint[], braid_store.text_query) is
  'Return the exact BM25 scores of chunks, computed from their forward rows, in the order of chunk_ids; null for a '
  'chunk with none of the query''s lexemes.';
