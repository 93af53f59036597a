create or replace function braid_store.general_scores(
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
  v_k1 float8 := general_scores.collection.k1;
  v_b float8 := coalesce(general_scores.collection.b, braid_store.adaptive_b(general_scores.query.average_length));
  v_title_weight float8 := general_scores.collection.title_weight;
  v_lexemes text[] := general_scores.query.lexemes;
  v_weights float8[] := general_scores.query.weights;
  v_term_numbers int[] := general_scores.query.term_numbers;
  v_average_length float8 := general_scores.query.average_length;
  v_phrases text[] := general_scores.query.phrases;
  v_keys bigint[] := case when v_phrases = '{}' then braid_store.term_keys(v_lexemes) end;
  v_is_keyed boolean := v_keys is not null and array_position(v_keys, null) is null;
begin
  return array(
    select (
      -- This is BM25F with one length for all fields (Robertson & Zaragoza 2009, section 3.6). Scores are summed in the
      -- order of the terms, so that equal chunks get equal scores to the last bit.
      select sum(t.weight * t.frequency / (t.frequency + f.saturation))
      from (
        select q.weight,
               sum(case when f.lexemes is null
                        then greatest(f.terms[width_bucket(q.key | braid_store.max_frequency(), f.terms)] - q.key, 0)
                             + (v_title_weight - 1)
                               * greatest(f.title_terms[width_bucket(q.key | braid_store.max_frequency(),
                                                                     f.title_terms)] - q.key, 0)
                        when q.phrase is null
                        then f.position_ends[w.place] - coalesce(f.position_ends[w.place - 1], 0)
                             + (v_title_weight - 1) * coalesce(f.title_frequencies[w.place], 0)
                        else (select p.frequency + (v_title_weight - 1) * p.title_frequency
                              from braid_store.phrase_frequency(q.phrase, f.lexemes, f.position_ends, f.positions,
                                                                f.title_frequencies) p) end) as frequency
        from unnest(v_lexemes, v_weights, v_term_numbers, v_phrases, v_keys)
               q (lexeme, weight, term_number, phrase, key),
             lateral (select width_bucket(q.lexeme collate "C", f.lexemes) as place offset 0) w
        where f.lexemes is null or f.lexemes[w.place] = q.lexeme
        group by q.term_number, q.weight
        order by q.term_number
      ) t
      where t.frequency > 0
    )
    from unnest(general_scores.chunk_ids) with ordinality u (chunk_id, place)
    left join lateral (
      select case when not v_is_keyed or f.terms is null then string_to_array(f.lexemes, ' ') end collate "C"
               as lexemes,
             f.terms, f.title_terms, f.position_ends, f.positions, f.title_frequencies,
             v_k1 * (1 - v_b + v_b * (f.body_length + v_title_weight * f.title_length) / v_average_length)
               as saturation
      from braid_store.forward_rows f
      where f.tenant_id = general_scores.tenant_id and f.chunk_id = u.chunk_id
      offset 0
    ) f on true
    order by u.place);
end
$$;

comment on function braid_store.general_scores(int, braid_store.collections, bigint[], braid_store.text_query) is
  'Do the work of braid_store.exact_scores for all queries and chunks. Phrases, stop words and chunks without terms '
  'are looked up in the texts of forward rows. exact_scores calls it only where terms have several lexemes, or where '
  'the terms of forward rows do not suffice.';
