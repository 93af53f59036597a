create or replace function braid_store.title_match(
  request braid_store.search_request,
  candidates braid_store.fused_candidate[]
)
returns float8[]
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_lexemes text[] := (request.query).lexemes;
  v_weights float8[] := (request.query).weights;
  v_term_numbers int[] := (request.query).term_numbers;
  v_phrases text[] := (request.query).phrases;
  v_all float8 := nullif(braid_store.query_weight(request), 0);
begin
  return array(
    select (
      select sum(t.weight order by t.term_number)
      from (
        select q.term_number, max(q.weight) as weight
        from unnest(v_lexemes, v_weights, v_term_numbers, v_phrases) q (lexeme, weight, term_number, phrase),
             lateral (select width_bucket(q.lexeme collate "C", f.lexemes) as place offset 0) w
        where f.lexemes[w.place] = q.lexeme and f.title_frequencies[w.place] > 0
              -- The lexeme of a phrase is only its rarest word, so look for the whole phrase.
              and case when q.phrase is null then true
                       else (select p.title_frequency > 0
                             from braid_store.phrase_frequency(q.phrase, f.lexemes, f.position_ends, f.positions,
                                                               f.title_frequencies) p) end
        group by q.term_number
      ) t
    ) / v_all
    from unnest(candidates) with ordinality c
    left join lateral (
      select string_to_array(f.lexemes, ' ') collate "C" as lexemes, f.position_ends, f.positions, f.title_frequencies
      from braid_store.forward_rows f
      where f.tenant_id = request.tenant_id and f.chunk_id = c.chunk_id and f.title_frequencies is not null
      offset 0
    ) f on true
    order by c.ordinality);
end
$$;

comment on function braid_store.title_match(braid_store.search_request, braid_store.fused_candidate[]) is
  'Return the share of the query''s words, weighted by idf, that each candidate has in its title; null if it has none.';
