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
  'judgments: a JSON array of at most 100000 objects with query_id, external_id, grade and, optionally, judge; in a '
  'query set of chunks also chunk_index. A grade above 0 is relevant, and 0 is not relevant. A grade below 0 counts '
  'as not judged, as in trec_eval; null removes the judgment. judge: the name of the judge; "default" if left out. '
  'Judgments of several judges are kept apart. A judge''s later grade replaces the earlier one; two grades in one '
  'call are refused. The documents need not exist yet. Return an object with the counts stored (new judgments), '
  'replaced (other grades), unchanged and removed.';
