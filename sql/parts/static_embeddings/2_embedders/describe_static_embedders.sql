-- role: administrator
-- tenants: all
-- Embedders are defined for all tenants.
create or replace function braid_store.describe_static_embedders()
returns table (name text, source_model text, dimensions int, token_count bigint)
language sql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
  select e.name, e.source_model, e.dimensions, (
           select count(*) from braid_store.static_embedder_tokens t where t.embedder_id = e.id)
  from braid_store.static_embedders e
  order by e.name;
$$;

comment on function braid_store.describe_static_embedders() is 'Do the work of braid.static_embedders.';
