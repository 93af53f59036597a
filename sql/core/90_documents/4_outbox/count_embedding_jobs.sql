-- role: service
-- tenants: all
create or replace function braid_store.count_embedding_jobs()
returns table (
  tenant text,
  collection text,
  embedding_model text,
  dimensions int,
  waiting_count bigint,
  claimable_count bigint,
  last_error text
)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select t.key, c.name, s.embedding_model, s.dimensions, j.waiting_count, j.claimable_count, j.last_error
  from (
    select j.tenant_id, j.collection_id, j.vector_space_id, count(*) as waiting_count,
           count(*) filter (where j.claimed_until is null or j.claimed_until <= now()) as claimable_count,
           max(j.last_error) as last_error
    from braid_store.embedding_jobs j
    group by j.tenant_id, j.collection_id, j.vector_space_id
  ) j
  join braid_store.tenants t on t.id = j.tenant_id
  join braid_store.collections c on c.id = j.collection_id
  join braid_store.vector_spaces s on s.id = j.vector_space_id
  order by t.key, c.name, s.embedding_model;
end
$$;

comment on function braid_store.count_embedding_jobs() is
  'Do the work of braid.embedding_backlog.';
