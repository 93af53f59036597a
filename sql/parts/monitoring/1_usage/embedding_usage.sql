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
  E'Show what workers had embedding services do: a row for each tenant, model and day (UTC).\n'
  'since: the first day; null, as by default: all that there are. Days are kept for 400 days; maintain deletes older '
  'ones. token_count: tokens that were embedded; estimated_token_count: those of them that the service did not tell, '
  'taken as a quarter of the characters. cost: by pgbraid work --price-per-million; null if no price was given. For '
  'services and administrators.';
