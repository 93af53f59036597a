-- role: writer
-- example: braid.store_sparse_terms(chunk_ids => '{}', terms => '[]', collection => 'small')
-- page: guide/sparse.md
create or replace function braid.store_sparse_terms(
  chunk_ids bigint[],
  terms jsonb,
  collection text default 'default'
)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.write_given_terms(store_sparse_terms.chunk_ids, store_sparse_terms.terms,
    store_sparse_terms.collection);
$$;

comment on function braid.store_sparse_terms(bigint[], jsonb, text) is
  E'Store weighted terms of chunks, made outside by a sparse model, in place of their former terms.\n'
  'terms takes a JSON array with an object for each of chunk_ids, in the same order, such as {"harbour": 1.2, '
  '"ship": 0.4}. An object has at most 4096 terms, with weights above 0; an empty object removes the terms of its '
  'chunk. chunk_ids takes at most 10000 ids. Chunks that were deleted meanwhile are passed over. Return the number '
  'of chunks found. Searches with the option sparse find the terms at once.';
