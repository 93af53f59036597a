create or replace function braid_store.index_statistics(tenant_id int, collection_id int)
returns table (chunk_count bigint, body_length bigint, title_length bigint)
language plpgsql
stable
parallel safe
security invoker
rows 1
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select coalesce(sum(s.chunk_count), 0)::bigint, coalesce(sum(s.body_length), 0)::bigint,
         coalesce(sum(s.title_length), 0)::bigint
  from braid_store.segments s
  where s.tenant_id = index_statistics.tenant_id and s.collection_id = index_statistics.collection_id;
end
$$;

comment on function braid_store.index_statistics(int, int) is
  'Return the number of live chunks that a tenant has in a collection, and the total lengths of their bodies and '
  'titles in tokens. The numbers are exact: deletions are subtracted.';
