create or replace function braid_store.sample_margin()
returns float8
language sql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- With 20,000 vectors, widths from 64 to 130 had an index recall of at least 99.5 % for the sample queries. It was
  -- 97.5 to 99.4 % for questions drawn like the documents.
  select 1.25::float8;
$$;

comment on function braid_store.sample_margin() is
  'Return the factor by which searches of an index are wider than the queries of sample_queries need. These queries '
  'are slightly easier than questions.';
