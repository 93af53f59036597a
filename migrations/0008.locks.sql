-- What writers, administrators and maintenance lock. Advisory locks have no privileges: every login could take them.
-- depends: 0007.upkeep

-- Left behind where somebody has dropped the other schemas by hand.
do $$
declare
  v_table regclass;
begin
  for v_table in select c.oid from pg_class c where c.relnamespace = 'braid_locks'::regnamespace and c.relkind = 'r' loop
    execute format('drop table %s', v_table);
  end loop;
end
$$;

-- Empty tables: only their locks matter. A collection has the one of its id modulo their number.
do $$
begin
  for n in 0..63 loop
    execute format('create table braid_locks.collection_%s ()', n);
    execute format('comment on table braid_locks.collection_%s is %L', n, 'The lock of a collection.');
  end loop;
end
$$;

create table braid_locks.tenant_locks (
    tenant_id int not null,
    slot int not null check (slot between 0 and 7),
    kind text collate "C" not null check (kind in ('writing', 'turn', 'shards')),
    primary key (tenant_id, slot, kind)
);
comment on table braid_locks.tenant_locks is
    'Rows that are only ever locked. A tenant''s part of a collection has the slot of the collection''s id modulo 8. '
    'writing: writers share it, clears, imports, rebuilds and drops take it alone. turn: whoever waits to take writing '
    'alone holds it, and writers who come later wait behind. shards: of the session that makes vector shards.';
