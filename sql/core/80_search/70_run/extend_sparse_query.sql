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
  'Extension point: lets parts make sparse terms of a search''s text, which brings none: an object of terms and '
  'weights, valid as the option sparse is but of any length. terms: what the part before made; null for none.';
