create type braid_store.filter as (
  predicate text,
  source text,
  is_empty boolean,
  share float8,
  among bigint[],
  lists jsonb
);

comment on type braid_store.filter is
  'A filter as SQL. predicate: a condition on braid_store.chunks with the alias c. source: a query that uses an index and '
  'returns ids of chunks, each once, among them all that pass; null if there is none. lists: without a source, the '
  'conditions that metadata_lists can answer, see braid_store.listed_conditions. is_empty: every chunk passes, so that '
  'none has to be read. A search adds: share, about what share of the chunks passes; and among, if few pass: ids of '
  'chunks in ascending order, among them all that pass.';
