-- role: reader
-- example: braid.arrange_results(chunk_ids => '{}', scores => '{}', collection => 'small')
-- page: guide/rerank-in-sql.md
create or replace function braid.arrange_results(
  chunk_ids bigint[],
  scores float8[],
  match_count int default 10,
  collection text default 'default',
  options jsonb default null
)
returns setof braid_store.search_result
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.arrange_chunks(arrange_results.chunk_ids, arrange_results.scores,
    arrange_results.match_count,
                                           arrange_results.collection, arrange_results.options);
$$;

comment on function braid.arrange_results(bigint[], float8[], int, text, jsonb) is
  E'Make result rows of chunks that were scored elsewhere, for example by a reranker.\n'
  'Rows with the highest score come first; chunks of equal scores stay in the given order. chunk_ids: chunks of the '
  'collection, each given once, at most 100000. Chunks that no longer exist are left out. If none exists, or if one '
  'is missing with the option cursor, 42704 is raised. scores: one number for each chunk, given in the same order. '
  'match_count: how many rows are returned, 10 by default. options: the options of a search that collapse, group and '
  'diversify rows, add passages and snippets, and give pages.';
