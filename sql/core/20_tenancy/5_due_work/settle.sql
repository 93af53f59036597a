create or replace function braid_store.settle(notes braid_store.due_parts[], oldest xid8, newest xid8)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
  with kept as (
    select n.tenant_id, n.collection_id, max(n.id) as id
    from unnest(settle.notes) n
    where settle.newest is not null
    group by 1, 2
    -- No writer relies on a note that waits already (awaits), because note_due passes it over. It can go when its
    -- transactions have ended.
    having bool_or(n.awaits is null or n.awaits > settle.oldest)
  ), changed as (
    update braid_store.due_parts d
    set awaits = (settle.newest::text::bigint + 1)::text::xid8
    from kept k
    where d.tenant_id = k.tenant_id and d.collection_id = k.collection_id and d.id = k.id
  )
  delete from braid_store.due_parts d
  using unnest(settle.notes) n
  where d.tenant_id = n.tenant_id and d.collection_id = n.collection_id and d.id = n.id
    and not exists (select from kept k where k.id = n.id);
$$;

comment on function braid_store.settle(braid_store.due_parts[], xid8, xid8) is
  E'Delete the notes of parts in which maintenance has nothing left to do.\n'
  'An open writer may have relied on such a note instead of writing its own, and its rows become visible only later. '
  'So one note of each part stays, and is visited again when all transactions from oldest to newest have ended. The '
  'caller locks the notes first, and then asks open_transactions for these two ids. If both are null, no writer is '
  'left, and all notes go.';
