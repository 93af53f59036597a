-- Cross-tenant: owned by the owner role.
create or replace function braid_store.end_changes(
  synced_table_id int,
  change_ids bigint[],
  error text default null,
  tenant text default null,
  key jsonb default null
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
    values (end_changes.synced_table_id, end_changes.tenant, end_changes.key, 1, clock_timestamp() + interval '1 minute',
            left(end_changes.error, 1000));
  else
    update braid_store.row_changes c
    set attempts = c.attempts + 1, last_error = left(end_changes.error, 1000),
        retry_at = clock_timestamp() + least(interval '1 minute' * 2 ^ least(c.attempts, 12), interval '1 day')
    where c.synced_table_id = end_changes.synced_table_id and c.id = any (end_changes.change_ids);
  end if;
end
$$;

comment on function braid_store.end_changes(int, bigint[], text, text, jsonb) is
  'Takes changes away that were brought over, or, with an error, puts them off, longer each time. No change_ids: notes '
  'the row of key as one that failed.';
