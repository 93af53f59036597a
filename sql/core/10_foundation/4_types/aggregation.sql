create type braid_store.aggregation as (
  name text,
  field text,
  columns text,
  tables text,
  rows text,
  is_total boolean,
  filters jsonb,
  follows_query boolean
);

comment on type braid_store.aggregation is
  'An aggregation of braid.facets as SQL. name: the key of its rows. field: an expression on braid_store.chunks c '
  'that is computed once for each chunk, or null. columns: the columns of a chunk that it counts. tables: common '
  'table expressions over the table m of these columns, each followed by a comma. rows: a query for place, value and '
  'count. is_total: it only counts the rows of m. filters, follows_query: which chunks m has.';
