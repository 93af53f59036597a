-- role: writer
-- example: braid.create_query_set(query_set => 'another')
-- page: guide/evaluation.md
create or replace function braid.create_query_set(
  query_set text,
  level text default 'document',
  description text default ''
)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.insert_query_set(query_set, level, description);
$$;

comment on function braid.create_query_set(text, text, text) is
  E'Create a set of queries of the session''s tenant, by which searches are evaluated.\n'
  'level: what its judgments are about, document or chunk. Chunks are named by their place in a document, so '
  'judgments of documents outlive other chunk sizes. One that is there gets the description; another level is '
  'refused with 22023. Returns true if it is new.';
