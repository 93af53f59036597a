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
  'method: takes random, frequency or worst. With random, each query is equally likely; frequency takes the queries '
  'asked most often. With worst, it takes the queries that found nothing most often, then those clicked latest or '
  'never. query_count: the number of queries, up to 10000. since: use only searches from then on. min_searches: use '
  'only queries asked at least this often. with_filters: if true, a query with other filters is another query and '
  'keeps its filters; otherwise filters are left out.\n'
  'Queries already in the set are left out, so that a second call adds others. Upper case and white space do not '
  'distinguish queries. Only first pages of searches for one query count, and only logs that keep the text have '
  'queries. The log omits filters above 2000 bytes, so these searches count as if they had none. The stored queries '
  'have no embeddings: add them with store_queries.';
