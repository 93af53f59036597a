-- role: service, monitor
-- page: guide/monitoring.md#what-waits
create or replace view braid.embedding_costs
with (security_invoker = true)
as
select date_trunc('month', u.day::timestamp)::date as month, u.embedding_model,
  count(distinct u.tenant) as tenant_count,
       sum(u.request_count)::bigint as request_count, sum(u.text_count)::bigint as text_count,
       sum(u.token_count)::bigint as token_count, sum(u.estimated_token_count)::bigint as estimated_token_count,
       sum(u.cost) as cost
from braid_store.list_embedding_usage(null) u
group by 1, 2;

-- With the trigger, changing the view fails with 42501 (PostgREST: status 403), without it with 55000 (status 500).
create or replace trigger refuse_change
instead of insert or update or delete on braid.embedding_costs
for each row execute function braid_store.refuse_view_change('braid.record_embedding_usage');

comment on view braid.embedding_costs is
  'Requests to embedding services and their cost by month and model: braid.embedding_usage of all tenants together. '
  'Only administrators, services and monitors may read it.';
comment on column braid.embedding_costs.month is 'The first day of the month, in UTC.';
comment on column braid.embedding_costs.embedding_model is 'The embedding model.';
comment on column braid.embedding_costs.tenant_count is 'The number of tenants.';
comment on column braid.embedding_costs.request_count is 'The number of requests.';
comment on column braid.embedding_costs.text_count is 'The number of texts embedded.';
comment on column braid.embedding_costs.token_count is 'The number of tokens embedded.';
comment on column braid.embedding_costs.estimated_token_count is
  'The number of tokens that the service did not report, estimated as a quarter of the characters.';
comment on column braid.embedding_costs.cost is
  'The cost by pgbraid work --price-per-million; null if no price was given.';
