-- role: reader
-- example: braid.assemble_context(query_text => 'discount', collection => 'small')
-- page: guide/context.md
create or replace function braid.assemble_context(
  query_text text default null,
  query_embedding @vector@.vector default null,
  token_budget int default 2000,
  match_count int default 50,
  sort text default 'score',
  full_text_weight float8 default null,
  semantic_weight float8 default null,
  filters jsonb default null,
  collection text default 'default',
  fusion text default null,
  rrf_k float8 default null,
  candidate_count int default null,
  min_score float8 default null,
  match text default 'any',
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
  from braid_calls.run_search(
         may_be_sparse => true, query_text => query_text, query_embedding => query_embedding,
           match_count => match_count,
         full_text_weight => full_text_weight, semantic_weight => semantic_weight, filters => filters,
           collection => collection,
         fusion => fusion, rrf_k => rrf_k, candidate_count => candidate_count, min_score => min_score, match => match,
         options => braid_calls.passage_options(options)) s,
       braid_calls.fit_passages(s.results, token_budget, sort) p;
$$;

comment on function braid.assemble_context(text, @vector@.vector, int, int, text, float8, float8, jsonb, text, text,
                                           float8, int, float8, text, jsonb) is
  E'Collect the best passages that fit into a number of tokens, numbered so that a language model can cite them.\n'
  'It searches like hybrid_search and goes through the best rows, best first. Chunks of a document that touch become '
  'one passage. match_count: how many rows it goes through, 50 by default. token_budget: how many tokens of the '
  'embedding model all passages may have, 2000 by default; each passage that still fits is taken. sort: score puts '
  'the best passage first; document puts passages in reading order, with documents ordered by their best passage.\n'
  'The option context adds neighbouring chunks. If no passage fits, the beginning of the best passage is returned. '
  'The other arguments are as in hybrid_search. Each row is a passage. citation: the number to cite. passage_start, '
  'passage_end: the chunk_index at which the passage begins and ends. content: the text to show. '
  'token_count: how long the text is, in tokens. total_tokens: how long all texts up to this row are.';
