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
  'level: whether its judgments are about a document or a chunk. Chunks are named by their place in a document, so '
  'judgments of documents outlive a change of the chunk size. description: a text about the query set.\n'
  'An existing query set takes the new description; another level is refused with 22023. Return true if the query '
  'set is new.';
