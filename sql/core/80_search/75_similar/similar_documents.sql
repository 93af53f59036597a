-- role: reader
-- example: braid.similar_documents(external_id => 'doc1', collection => 'small')
-- page: guide/more-like-this.md
create or replace function braid.similar_documents(
  external_id text,
  match_count int default 10,
  filters jsonb default null,
  collection text default 'default',
  min_score float8 default null,
  options jsonb default null
)
returns setof braid_store.search_result
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select *
  from braid_calls.find_similar_documents(similar_documents.external_id, similar_documents.match_count,
                                          similar_documents.filters, similar_documents.collection,
                                          similar_documents.min_score, similar_documents.options);
$$;

comment on function braid.similar_documents(text, int, jsonb, text, float8, jsonb) is
  E'Find the documents most like a given document, one row for each: its best chunk.\n'
  'The search vector is the mean of the vectors of the given document''s chunks; for the distance cosine, they are '
  'first normalised to length 1. Chunks that wait for their embedding do not count, and nothing is embedded. score '
  'is the similarity of the best chunk to the search vector. external_id: the given document, which is left out of '
  'the rows. filters: conditions that the chunks found must meet. options: only options about vectors and snippets '
  'are allowed. Raise 22023 if none of the document''s chunks has an embedding yet.';
