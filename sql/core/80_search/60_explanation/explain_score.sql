-- role: reader
-- example: braid.explain_score(query_text => 'discount', chunk_ids => array(select s.chunk_id from
--   braid.full_text_search('discount', collection => 'small') s), collection => 'small')
-- page: guide/explain.md
create or replace function braid.explain_score(
  query_text text,
  chunk_ids bigint[],
  match text default 'any',
  collection text default 'default'
)
returns table (
  chunk_id bigint,
  term text,
  lexeme text,
  frequency float8,
  title_frequency float8,
  document_frequency bigint,
  idf float8,
  query_frequency int,
  length float8,
  average_length float8,
  length_normalisation float8,
  contribution float8
)
language sql
stable
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.explain_chunks(explain_score.query_text, explain_score.chunk_ids, explain_score.match,
                                           explain_score.collection);
$$;

comment on function braid.explain_score(text, bigint[], text, text) is
  E'Show where the BM25 scores of chunks come from: one row for each chunk and each lexeme of the query that it has.\n'
  'Use it to find out why one chunk ranks above another. query_text, match, collection: the same values as in the '
  'search. chunk_ids: the chunk_id of rows that the search returned, at most 10000. The column contribution is '
  'query_frequency × idf × f / (f + length_normalisation). In it f is frequency (in the body) plus title_weight × '
  'title_frequency; length_normalisation is k1 × (1 - b + b × length / average_length). With bm25_variant okapi, '
  'contribution is k1 + 1 times this value. The contributions of a chunk add up to its score. The lexemes of a '
  'prefix, or of a word with synonyms, count together as one term, with the document_frequency of the commonest; '
  'each lexeme has its share. A synonym of several words is shown as their lexemes, and is as common as the rarest '
  'of them. A chunk that lacks what the query demands has no rows.';
