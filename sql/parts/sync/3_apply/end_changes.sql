-- role: service
-- tenants: all
create or replace function braid_store.end_changes(
  synced_table_id int,
  change_ids bigint[],
  error text default null,
  tenant text default null,
  key jsonb default null,
  is_locked boolean default false
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if end_changes.error is null then
    delete from braid_store.row_changes c
    where c.synced_table_id = end_changes.synced_table_id and c.id = any (end_changes.change_ids);
  elsif end_changes.change_ids = '{}' then
    insert into braid_store.row_changes (synced_table_id, tenant, key, attempts, retry_at, last_error)
    values (end_changes.synced_table_id, end_changes.tenant, end_changes.key, 1,
            clock_timestamp() + case when end_changes.is_locked then interval '0' else interval '1 minute' end,
            left(end_changes.error, 1000));
  else
    update braid_store.row_changes c
    set attempts = case when end_changes.is_locked then greatest(c.attempts, 1) else c.attempts + 1 end,
        last_error = left(end_changes.error, 1000),
        retry_at = clock_timestamp() + case when end_changes.is_locked then interval '0' else least(interval '1 minute'
          * 2 ^ least(c.attempts, 12), interval '1 day') end
    where c.synced_table_id = end_changes.synced_table_id and c.id = any (end_changes.change_ids);
  end if;
end
$$;

comment on function braid_store.end_changes(int, bigint[], text, text, jsonb, boolean) is
  'Delete applied changes, or, with an error, postpone them, longer after each failure. Locked rows are postponed '
  'until the next call of apply_changes. Without change_ids, note the row of key as failed.';
