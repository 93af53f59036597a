-- role: administrator
-- example: braid.set_sparse_encoder(name => 'small', weights => '{}')
-- page: guide/sparse.md
create or replace function braid.set_sparse_encoder(name text, weights jsonb, append boolean default false)
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.replace_sparse_encoder(set_sparse_encoder.name, set_sparse_encoder.weights,
    set_sparse_encoder.append);
$$;

comment on function braid.set_sparse_encoder(text, jsonb, boolean) is
  E'Store a table of term weights, with which collections make the sparse terms of a query''s words without a model.\n'
  'name: the name by which set_ranking and create_collection give it to a collection. weights: an object of terms '
  'and their weights, 0 or more; null removes the encoder. append: true adds to the stored terms, for tables that '
  'come in pieces; otherwise the new terms replace them.\n'
  'Terms are lower case and without accents, as in the vocabulary of BERT''s uncased models. A term that begins with '
  '## stands for the rest of a word, and a word is split into the longest known terms. A word that cannot be split '
  'this way counts for nothing. U+0300 to U+036F are the only combining marks removed. A term counts once in a '
  'query. A term of weight 0 takes its place in a word and counts for nothing. An encoder has at most 200000 terms. '
  'Return the number of terms. Only administrators may call it.';
