create or replace function braid.similar_documents(
  external_id text,
  match_count int default 10,
  filters jsonb default null,
  collection text default 'default',
  min_score float8 default null,
  options jsonb default null
)
returns setof braid.search_result
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select *
  from braid_store.find_similar_documents(similar_documents.external_id, similar_documents.match_count,
                                          similar_documents.filters, similar_documents.collection,
                                          similar_documents.min_score, similar_documents.options);
$$;

comment on function braid.similar_documents(text, int, jsonb, text, float8, jsonb) is
  'The documents most like one of the collection, each by its one best chunk: the nearest to the mean of the vectors of '
  'the document''s chunks (under cosine, of these vectors brought to length 1; of the chunks that are embedded, if others '
  'wait). The score is that similarity. The filters are on the chunks found. Nothing is embedded.';
