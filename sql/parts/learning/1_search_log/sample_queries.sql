-- role: writer
-- example: braid.sample_queries(query_set => 'asked', collection => 'small')
-- page: guide/judgments.md#take-questions-from-the-search-log
create or replace function braid.sample_queries(
  query_set text,
  collection text default 'default',
  method text default 'random',
  query_count int default 100,
  since timestamptz default null,
  min_searches int default 1,
  with_filters boolean default false,
  seed int default 0
)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.store_sampled_queries(query_set, collection, method, query_count, since, min_searches,
    with_filters, seed);
$$;

comment on function braid.sample_queries(text, text, text, int, timestamptz, int, boolean, int) is
  E'Store queries of a collection''s search log in a query set, and return how many are new there.\n'
  'method: random (each query alike), frequency (those asked most) or worst (those whose searches found nothing '
  'most often, then those whose first click came latest or never). query_count: how many, up to 10000. since: only '
  'searches from then on. min_searches: of queries asked at least so often. with_filters: a query with other '
  'filters is another query, which keeps them; else they are left out. Queries that the set has are left out, so '
  'that a second call gives others. Upper case and white space make no other query. Only first pages of searches '
  'for one query count, and only logs that keep the text have queries. Filters above 2000 bytes are not in the log: '
  'these searches count as if they had none. They have no embeddings: store them with store_queries.';
