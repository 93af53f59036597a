-- role: reader
-- standby: no
-- example: braid.missing_token_vectors(collection => 'small')
-- page: guide/token-vectors.md
create or replace function braid.missing_token_vectors(
  chunk_count int default 64,
  after_chunk_id bigint default 0,
  collection text default 'default'
)
returns table (chunk_id bigint, input text)
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select m.chunk_id, m.input
  from braid_calls.find_missing_token_vectors(missing_token_vectors.chunk_count, missing_token_vectors.after_chunk_id,
                                              missing_token_vectors.collection) m;
$$;

comment on function braid.missing_token_vectors(int, bigint, text) is
  E'Return chunks that have no token vectors of the collection''s model, with the text to embed, in the order of '
  'their ids.\n'
  'Workers call it, and answer with store_token_vectors. after_chunk_id: the last chunk_id of the call before; 0 '
  'begins. chunk_count: the number of chunks to return, 1 to 10000.\n'
  'It claims nothing: two workers that read the same chunks do the same work.';
