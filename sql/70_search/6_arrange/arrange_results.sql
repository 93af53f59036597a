create or replace function braid.arrange_results(
  chunk_ids bigint[],
  scores float8[],
  match_count int default 10,
  collection text default 'default',
  options jsonb default null
)
returns setof braid.search_result
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_store.arrange_chunks(arrange_results.chunk_ids, arrange_results.scores, arrange_results.match_count,
                                           arrange_results.collection, arrange_results.options);
$$;

comment on function braid.arrange_results(bigint[], float8[], int, text, jsonb) is
  'Rows for chunks with scores from elsewhere, such as a reranker: highest score first, collapsed, grouped, diversified, '
  'with passages and page by page as the same options of a search ask for.';
