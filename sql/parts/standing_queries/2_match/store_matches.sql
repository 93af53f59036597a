create or replace function braid_store.store_matches(
  tenant_id int,
  collection_id int,
  query_ids bigint[],
  kinds text[],
  chunk_ids bigint[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
begin
  insert into braid_store.standing_query_matches (tenant_id, collection_id, query_id, kind, chunk_id)
  select store_matches.tenant_id, store_matches.collection_id, m.query_id, m.kind, m.chunk_id
  from (
    -- The first chunk in the given order stands for its document.
    select distinct on (u.query_id, u.kind, c.document_id) u.query_id, u.kind, u.chunk_id
    from unnest(store_matches.query_ids, store_matches.kinds, store_matches.chunk_ids)
           with ordinality u (query_id, kind, chunk_id, place),
         lateral (
           select c.document_id from braid_store.chunks c
           where c.tenant_id = store_matches.tenant_id and c.id between u.chunk_id and u.chunk_id
           order by c.id
           offset 0
         ) c
    order by u.query_id, u.kind, c.document_id, u.place
  ) m
  order by m.chunk_id, m.query_id, m.kind;
  -- A transaction that notifies cannot be prepared, so a session that prepares its transactions switches this off.
  if found and current_setting('braid.notify_matches', true) is distinct from 'off' then
    -- The notice has no content: every login of the database may listen.
    perform pg_notify('braid_matches', '');
  end if;
end
$$;

comment on function braid_store.store_matches(int, int, bigint[], text[], bigint[]) is
  'Store matches, at most one for each query, kind and document, and wake the sessions that listen to braid_matches '
  'when this transaction commits, unless the setting braid.notify_matches is off.';
