-- role: service, monitor
-- tenants: all
create or replace function braid_store.list_outbox()
returns table (
  tenant text,
  collection text,
  embedding_model text,
  waiting_count bigint,
  claimable_count bigint,
  failed_count bigint,
  abandoned_count bigint,
  oldest_at timestamptz,
  age interval
)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select t.key, c.name, s.embedding_model, j.waiting_count, j.claimable_count, j.failed_count, j.abandoned_count,
    o.oldest_at,
         case when o.oldest_at is not null then greatest(clock_timestamp() - o.oldest_at, interval '0') end
  from (
    select j.tenant_id, j.collection_id, j.vector_space_id,
           count(*) filter (where j.claimed_until is distinct from 'infinity') as waiting_count,
           count(*) filter (where j.claimed_until is null or j.claimed_until <= now()) as claimable_count,
           count(*) filter (where j.claimed_until is distinct from 'infinity'
             and j.last_error is not null) as failed_count,
           count(*) filter (where j.claimed_until = 'infinity') as abandoned_count,
           -- Ids are assigned nearly in the order of time.
           min(j.chunk_id) filter (where j.claimed_until is distinct from 'infinity') as first_chunk_id
    from braid_store.embedding_jobs j
    group by j.tenant_id, j.collection_id, j.vector_space_id
  ) j
  join braid_store.tenants t on t.id = j.tenant_id
  join braid_store.collections c on c.id = j.collection_id
  join braid_store.vector_spaces s on s.id = j.vector_space_id
  left join (
    select c.id, e.* from braid_store.collections c, braid_store.extend_spaces(c.id) e
  ) m on m.id = j.collection_id and m.vector_space_id = j.vector_space_id
  left join lateral (
    select greatest(h.created_at, m.since) as oldest_at
    from braid_store.chunks h
    where h.tenant_id = j.tenant_id and h.id = j.first_chunk_id
    offset 0
  ) o on true;
end
$$;

comment on function braid_store.list_outbox() is
  'Do the work of the view braid.outbox.';
