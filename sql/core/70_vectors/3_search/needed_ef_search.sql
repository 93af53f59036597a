create or replace function braid_store.needed_ef_search(
  ef_search int,
  ef_search_100 int,
  candidate_count float8,
  page_count float8
)
returns float8
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Interpolate linearly between the values measured for the 10 and for the 100 nearest vectors. The margin of 1.25
  -- allows for deleted vectors that are still in the index.
  return greatest(
    1.25 * needed_ef_search.candidate_count, needed_ef_search.ef_search,
    needed_ef_search.ef_search
    + (needed_ef_search.page_count - 10) * (needed_ef_search.ef_search_100 - needed_ef_search.ef_search) / 90.0);
end
$$;

comment on function braid_store.needed_ef_search(int, int, float8, float8) is
  'Estimate the hnsw.ef_search that is needed to find candidate_count vectors, among them the page_count nearest. '
  'The estimate is based on the values measured for the 10 nearest (ef_search) and the 100 nearest (ef_search_100). '
  'It is at least ef_search, and at least 1.25 times candidate_count.';
