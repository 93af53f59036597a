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
  from braid_store.run_search(
         query_text => query_text, query_embedding => query_embedding, match_count => match_count,
         full_text_weight => full_text_weight, semantic_weight => semantic_weight, filters => filters, collection => collection,
         fusion => fusion, rrf_k => rrf_k, candidate_count => candidate_count, min_score => min_score, match => match,
         options => braid_store.passage_options(options)) s,
       braid_store.fit_passages(s.results, token_budget, sort) p;
$$;

comment on function braid.assemble_context(text, @vector@.vector, int, int, text, float8, float8, jsonb, text, text, float8,
                                           int, float8, text, jsonb) is
  'What to give a language model: the passages of the best match_count rows of hybrid_search that fit token_budget, best '
  'first, numbered to be cited. sort: score, or document for the order of reading, documents by their best passage. '
  'passage_start and passage_end are chunk_indexes; total_tokens runs up. Chunks that touch are one passage; the options '
  'context_before and context_after add neighbours.';
