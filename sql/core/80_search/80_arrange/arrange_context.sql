-- role: reader
-- example: braid.arrange_context(chunk_ids => '{}', scores => '{}', collection => 'small')
-- page: guide/rerank-in-sql.md
create or replace function braid.arrange_context(
  chunk_ids bigint[],
  scores float8[],
  token_budget int default 2000,
  match_count int default 50,
  sort text default 'score',
  collection text default 'default',
  options jsonb default null
)
returns table (
  citation int,
  chunk_id bigint,
  external_id text,
  title text,
  source_uri text,
  passage_start int,
  passage_end int,
  content text,
  token_count int,
  total_tokens int,
  score float8
)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select p.*
  from braid_calls.fit_passages(
         array(
           select a
           from braid_calls.arrange_chunks(
                  arrange_context.chunk_ids, arrange_context.scores, arrange_context.match_count,
                    arrange_context.collection,
                  braid_calls.passage_options(arrange_context.options)) a),
         arrange_context.token_budget, arrange_context.sort) p;
$$;

comment on function braid.arrange_context(bigint[], float8[], int, int, text, text, jsonb) is
  E'Collect passages for a language model, as assemble_context does, from chunks that were scored elsewhere, for '
  'example by a reranker.\n'
  'chunk_ids, scores, collection and options are as in arrange_results; token_budget, match_count, sort and the '
  'result are as in assemble_context.';
