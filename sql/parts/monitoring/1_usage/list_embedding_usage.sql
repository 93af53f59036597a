-- role: service, monitor
-- tenants: all
create or replace function braid_store.list_embedding_usage(since date)
returns table (
  tenant text,
  embedding_model text,
  day date,
  request_count bigint,
  text_count bigint,
  token_count bigint,
  estimated_token_count bigint,
  cost numeric
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
  select t.key, u.embedding_model, u.day, u.request_count, u.text_count, u.token_count, u.estimated_token_count, u.cost
  from braid_store.embedding_usage u
  join braid_store.tenants t on t.id = u.tenant_id
  where list_embedding_usage.since is null or u.day >= list_embedding_usage.since;
end
$$;

comment on function braid_store.list_embedding_usage(date) is
  'Do the work of braid.embedding_usage.';
