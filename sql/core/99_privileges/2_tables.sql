revoke all on all tables in schema braid, braid_store from public, braid_reader, braid_writer, @definer@;
revoke all on schema braid, braid_calls, braid_store from public;
grant usage on schema braid, braid_calls to braid_reader, @definer@;
-- Whoever can name a table can lock it against everybody (core/10_foundation/1_schemas/schemas.sql).
revoke all on schema braid_store from braid_reader, braid_writer;
grant usage on schema braid_store to @definer@;

-- Only pgbraid's own functions lock these tables.
revoke all on all tables in schema braid_locks from public, braid_reader, braid_writer, @definer@;
revoke all on schema braid_locks from public, braid_reader;
grant usage on schema braid_locks to @definer@;
grant select, update on all tables in schema braid_locks to @definer@;

-- Applications call definer functions, and read views, for which they need privileges and policies on some tables. They
-- may not read the index itself: query plans count the rows that a policy removes, and so would tell whether any tenant
-- has a word. The manifests say what each role may do with each table.
do $$
declare
  v_grant record;
begin
  for v_grant in
    with roles (name, role) as (values ('reader', 'braid_reader'), ('writer', 'braid_writer'), ('definer', '@definer@'))
    select r.role, format('braid_store.%I', t.key) as relation, t.value ->> r.name as privileges
    from braid_store.parts s
    cross join jsonb_each(s.manifest -> 'tables') t
    join roles r on t.value ? r.name
    union all
    select r.role, v::text, 'select' from roles r, braid_store.listed_views(r.name) v
  loop
    execute format('grant %s on %s to %I', v_grant.privileges, v_grant.relation, v_grant.role);
  end loop;
end
$$;

grant select on braid_store.postings to @definer@;

-- All rows of a vector shard belong to one tenant.
do $$
declare
  v_shard regclass;
begin
  for v_shard in
    select c.oid::regclass from pg_catalog.pg_class c
    where c.relnamespace = 'braid_store'::regnamespace and c.relkind = 'r' and c.relname ~ '^vectors_[0-9]+$'
  loop
    execute format('grant select, insert, update, delete on %s to @definer@', v_shard);
  end loop;
end
$$;

revoke all on type
  braid.search_result, braid.write_result, braid_store.search_result, braid_store.write_result, braid_store.candidate,
  braid_store.fused_candidate, braid_store.query_condition, braid_store.text_query, braid_store.document_input,
  braid_store.document_change, braid_store.filter, braid_store.boost, braid_store.aggregation,
  braid_store.search_options, braid_store.query_token, braid_store.search_request, braid_store.found_candidates,
  braid_store.ranked_candidates, braid_store.arrangement, braid_store.examined_chunk, braid_store.searched_segments,
  braid_store.bounded_places, braid_store.scored_chunks, braid_store.measured_chunks, braid_store.recall_curve,
  braid_store.serving_shard, braid_store.previous_chunk
from public;
-- Users' own functions may return these types, too.
grant usage on type braid.search_result, braid.write_result to braid_reader;
