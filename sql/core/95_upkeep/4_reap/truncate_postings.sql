-- This function works across tenants.
create or replace function braid_store.truncate_postings()
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
-- Searches queue behind a session that waits for this lock.
set lock_timeout = '50ms'
set enable_indexscan = off
set enable_bitmapscan = off
set jit = off
as $$
declare
  -- A smaller table is left to vacuum.
  c_least_bytes constant bigint := 4000000;
  v_tables braid_store.posting_tables;
  v_left text;
  v_has_rows boolean;
  v_is_complete boolean := true;
begin
  -- A TRUNCATE ignores snapshots. Sessions that may still write to a table that was left, and then sessions that may
  -- still read what was deleted there, must end first.
  select t.* into v_tables from braid_store.posting_tables t where t.only_row and t.left_by is not null
    for update skip locked;
  if v_tables.emptied_by is not null then
    begin
      v_is_complete := not braid_store.has_older_snapshots(v_tables.emptied_by);
      if v_is_complete then
        v_left := 'postings_' || translate(v_tables.active, 'ab', 'ba');
        execute format('lock table braid_store.%I in access exclusive mode', v_left);
        execute format('select exists (select from braid_store.%I)', v_left) into v_has_rows;
        if v_has_rows then
          update braid_store.posting_tables t set emptied_by = null where t.only_row;
          v_is_complete := false;
        else
          execute format('truncate braid_store.%I', v_left);
          update braid_store.posting_tables t
          set left_by = null, emptied_by = null,
              check_at_bytes = 1.4 * pg_total_relation_size(('braid_store.postings_' || t.active)::regclass)
                + c_least_bytes
          where t.only_row;
        end if;
      end if;
    exception when lock_not_available then
      v_is_complete := false; -- The next call tries again.
    end;
  elsif v_tables.left_by is not null then
    v_is_complete := false;
    if not braid_store.has_older_snapshots(v_tables.left_by) then
      execute format('select exists (select from braid_store.postings_%s)', translate(v_tables.active, 'ab', 'ba'))
      into v_has_rows;
      if not v_has_rows then
        update braid_store.posting_tables t
        set emptied_by = (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8
        where t.only_row;
      end if;
    end if;
  end if;
  return v_is_complete;
end
$$;

comment on function braid_store.truncate_postings() is
  'Give back the space of the table of postings that empty_postings has emptied, once no session can read or write '
  'there any more. Return false if this is left to a later call.';
