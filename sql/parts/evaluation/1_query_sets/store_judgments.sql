-- role: writer
-- example: braid.store_judgments(query_set => 'asked', judgments => '[]')
-- page: guide/evaluation.md
create or replace function braid.store_judgments(query_set text, judgments jsonb)
returns jsonb
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.write_judgments(query_set, judgments);
$$;

comment on function braid.store_judgments(text, jsonb) is
  E'Store judgments of a query set: how relevant documents, or chunks, are to its queries.\n'
  'judgments: a JSON array of objects with query_id, external_id, grade and, if you like, judge; in a query set of '
  'chunks also chunk_index; at most 100000. A grade above 0 is relevant, 0 is not; one below 0 counts as not judged, '
  'as in trec_eval; null removes the judgment. judge: who says so, "default" if left out. Several judges are kept '
  'apart; a judge''s later grade replaces the earlier one, and two in one call are refused. The documents need not '
  'be there yet. Return an object: stored (new ones), replaced (other grades), unchanged and removed.';
