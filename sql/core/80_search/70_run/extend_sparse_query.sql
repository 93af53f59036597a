create or replace function braid_store.extend_sparse_query(
  inout terms jsonb,
  collection braid_store.collections,
  query_text text
)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_sparse_query(jsonb, braid_store.collections, text) is
  'Extension point: let parts make sparse terms from the text of a search that gives no terms. Return an object of '
  'terms and weights, which is valid as the option sparse but may be longer. terms: the terms that the previous part '
  'made; null for none.';
