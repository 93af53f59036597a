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
  'chunk_ids: the chunks whose terms to store, at most 10000; chunks that were deleted meanwhile are passed over. '
  'terms: a JSON array with an object for each of chunk_ids, such as {"harbour": 1.2}; an object has at most 4096 '
  'terms, with weights above 0. An empty object removes the terms of its chunk.\n'
  'Return the number of chunks found. Searches with the option sparse find the terms at once.';
