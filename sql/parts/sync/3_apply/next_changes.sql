-- role: service
-- tenants: all
create or replace function braid_store.next_changes(
  synced_table_id int,
  change_count int,
  started timestamptz,
  out change_ids bigint[],
  out tenants text[],
  out keys jsonb[],
  out is_unknown boolean
)
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  select coalesce(array_agg(c.id order by c.id), '{}'), array_agg(c.tenant order by c.id),
         array_agg(c.key order by c.id), coalesce(bool_or(c.key is null), false)
  into change_ids, tenants, keys, is_unknown
  from (
    select c.id, c.tenant, c.key
    from braid_store.row_changes c
    where c.synced_table_id = next_changes.synced_table_id
      and c.retry_at is null
    order by c.id
    limit next_changes.change_count
  ) c;
  if change_ids <> '{}' then
    return;
  end if;
  -- Postponed changes come last, once per call. Otherwise rows that stay locked would keep the others waiting.
  select coalesce(array_agg(c.id order by c.id), '{}'), array_agg(c.tenant order by c.id),
         array_agg(c.key order by c.id), coalesce(bool_or(c.key is null), false)
  into change_ids, tenants, keys, is_unknown
  from (
    select c.id, c.tenant, c.key
    from braid_store.row_changes c
    where c.synced_table_id = next_changes.synced_table_id and c.retry_at <= next_changes.started
    order by c.retry_at
    limit next_changes.change_count
  ) c;
end
$$;

comment on function braid_store.next_changes(int, int, timestamptz) is
  'Return changes of a synced table''s rows: untried changes in the order in which they were noted, then changes '
  'postponed until started. is_unknown: whether a change says that any row may have changed.';
