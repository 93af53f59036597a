create type braid_store.filter as (
  predicate text,
  source text,
  is_empty boolean,
  share float8,
  among bigint[],
  lists jsonb
);

comment on type braid_store.filter is
  'A filter as SQL. predicate: a condition on braid_store.chunks with the alias c. source: a query that uses an '
  'index and returns ids of chunks, each once; they include every chunk that passes. source is null if there is no '
  'such query. lists: without a source, the conditions that metadata_lists can answer '
  '(braid_store.listed_conditions). is_empty: every chunk passes, so no chunk has to be read. A search adds share, '
  'the estimated share of chunks that pass, and among. If few chunks pass, among has ids of chunks in ascending '
  'order that include every chunk that passes.';
