-- role: writer
-- example: braid.claim_matches(collection => 'small')
-- page: guide/standing-queries.md
create or replace function braid.claim_matches(
  match_count int default 100,
  lease interval default '5 minutes',
  collection text default 'default'
)
returns table (
  match_id bigint,
  name text,
  kind text,
  document_id bigint,
  external_id text,
  chunk_id bigint,
  chunk_index int,
  matched_at timestamptz
)
language sql
volatile
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  select * from braid_calls.lease_matches(claim_matches.match_count, claim_matches.lease, claim_matches.collection);
$$;

comment on function braid.claim_matches(int, interval, text) is
  E'Claim documents that have matched standing queries since, oldest first.\n'
  'match_count: how many to claim, 1 to 10000. lease: how long nobody else gets these matches. Answer with '
  'acknowledge_matches; a match that is not acknowledged in time is claimed again, so each comes at least once.\n'
  'name: the standing query. kind: full_text or semantic. chunk_id, chunk_index: the chunk of the document that '
  'matched. Documents that were deleted or replaced or have expired since are left out, and so are documents that the '
  'session may not read.';
