create or replace function braid_store.exact_sparse_scores(
  tenant_id int,
  collection_id int,
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
-- These settings force a hash join of the terms, whatever array length the planner assumes.
set enable_nestloop = off
set enable_mergejoin = off
as $$
declare
  -- From this number of query terms on, reading all terms of a chunk is faster than looking up each query term.
  c_many_terms constant int := 12;
  v_terms text[] := exact_sparse_scores.query.terms;
  v_weights float8[] := exact_sparse_scores.query.weights;
begin
  -- Both branches sum in the order of the terms, which is the same in query and row, so that equal chunks get equal
  -- scores to the last bit.
  if cardinality(v_terms) >= c_many_terms then
    return array(
      select (
        select sum(q.weight * t.weight)
        from (select unnest(string_to_array(r.terms, E'\n')) collate "C" as term, unnest(r.weights) as weight) t
        join unnest(v_terms, v_weights) q (term, weight) on q.term collate "C" = t.term
      )
      from unnest(exact_sparse_scores.chunk_ids) with ordinality u (chunk_id, place)
      left join lateral (
        select r.terms, r.weights from braid_store.sparse_rows r
        where r.tenant_id = exact_sparse_scores.tenant_id and r.collection_id = exact_sparse_scores.collection_id
          and r.chunk_id = u.chunk_id
        offset 0
      ) r on true
      order by u.place);
  end if;
  return array(
    select (
      select sum(q.weight * r.weights[w.place])
      from unnest(v_terms, v_weights) q (term, weight),
           lateral (select width_bucket(q.term collate "C", r.terms) as place offset 0) w
      where r.terms[w.place] = q.term
    )
    from unnest(exact_sparse_scores.chunk_ids) with ordinality u (chunk_id, place)
    left join lateral (
      -- The concatenation with an empty array unpacks a long array once, and not again for each term.
      select string_to_array(r.terms, E'\n') collate "C" as terms, r.weights || '{}'::real[] as weights
      from braid_store.sparse_rows r
      where r.tenant_id = exact_sparse_scores.tenant_id and r.collection_id = exact_sparse_scores.collection_id
        and r.chunk_id = u.chunk_id
      offset 0
    ) r on true
    order by u.place);
end
$$;

comment on function braid_store.exact_sparse_scores(int, int, bigint[], braid_store.text_query) is
  'Return the exact sparse scores of chunks, in the order of chunk_ids. A score is the sum of weight in the query × '
  'weight in the chunk over the terms that both have; null if they share no term.';
