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
parallel safe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_store.explain_chunks(explain_score.query_text, explain_score.chunk_ids, explain_score.match,
                                           explain_score.collection);
$$;

comment on function braid.explain_score(text, bigint[], text, text) is
  'Where the BM25 scores of chunks come from: a row for each chunk and lexeme of the query that occurs in it. '
  'contribution is query_frequency × idf × f / (f + length_normalisation), where f is frequency (in the body) plus '
  'title_weight × title_frequency, and length_normalisation is k1 × (1 - b + b × length / average_length). A term of '
  'several lexemes, a prefix or a word with synonyms, counts as one, with the document_frequency of its commonest lexeme; '
  'each lexeme has its share. The contributions of a chunk add up to its score; one that lacks what the query demands '
  'has no rows.';
