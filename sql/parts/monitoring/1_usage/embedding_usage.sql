-- role: service
-- standby: no
-- example: braid.embedding_usage()
-- page: guide/workers.md#what-does-it-cost
create or replace function braid.embedding_usage(since date default null)
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
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select u.*
  from braid_store.list_embedding_usage(embedding_usage.since) u
  order by u.tenant collate "C", u.embedding_model collate "C", u.day;
$$;

comment on function braid.embedding_usage(date) is
  E'Show the work of embedding services, as recorded by workers: one row for each tenant, model and day (UTC).\n'
  'since: the first day to show; null, the default, shows all days. token_count: the tokens that were embedded. '
  'estimated_token_count: tokens that the service did not report, estimated as a quarter of the characters; '
  'token_count includes them. cost: the cost by pgbraid work --price-per-million; null if no price was given.\n'
  'Days are kept for 400 days; maintain deletes older ones. Only services and administrators may call it.';
