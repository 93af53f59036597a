-- role: service
-- example: braid.record_embedding_usage(tenant => 'alpha', embedding_model => 'test', request_count => 1, text_count
--   => 1, token_count => 1)
-- page: guide/workers.md#what-does-it-cost
create or replace function braid.record_embedding_usage(
  tenant text,
  embedding_model text,
  request_count bigint,
  text_count bigint,
  token_count bigint,
  estimated_token_count bigint default 0,
  cost numeric default null
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.add_embedding_usage(record_embedding_usage.tenant, record_embedding_usage.embedding_model,
                                         record_embedding_usage.request_count, record_embedding_usage.text_count,
                                         record_embedding_usage.token_count,
                                         coalesce(record_embedding_usage.estimated_token_count, 0),
                                         record_embedding_usage.cost);
$$;

comment on function braid.record_embedding_usage(text, text, bigint, bigint, bigint, bigint, numeric) is
  E'Add to a tenant''s usage of embedding services today (UTC), which embedding_usage shows.\n'
  'Workers call it. tenant: names the tenant by key. embedding_model: the service''s model. request_count, '
  'text_count: the number of requests sent, and of texts embedded. token_count: the number of all tokens. '
  'estimated_token_count: the number of tokens that were estimated because the service did not report them; '
  'token_count includes them. cost: the cost in any currency; null if unknown. Only administrators and services may '
  'call it.';
