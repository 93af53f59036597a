-- role: writer
-- example: braid.acknowledge_matches(match_ids => '{1}', collection => 'small')
-- page: guide/standing-queries.md
create or replace function braid.acknowledge_matches(match_ids bigint[], collection text default 'default')
returns int
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.remove_matches(acknowledge_matches.match_ids, acknowledge_matches.collection);
$$;

comment on function braid.acknowledge_matches(bigint[], text) is
  E'Delete matches that are dealt with, so that nobody gets them again.\n'
  'match_ids: the ids that claim_matches returned, at most 10000. Return how many were deleted.';
