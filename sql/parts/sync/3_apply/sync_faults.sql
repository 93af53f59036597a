-- role: service
-- tenants: all
create or replace function braid_store.sync_faults()
returns setof text
language plpgsql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select format('%s: %s', f.relation, f.faults)
  from braid_store.synced_tables s
  cross join lateral (
    select r.relation, braid_store.trigger_faults(r.relation, false) as faults
    from (select braid_store.synced_relation(s.id) as relation offset 0) r
    offset 0
  ) f
  where s.phase not in ('lost', 'end') and f.faults is not null
  order by s.id;
end
$$;

comment on function braid_store.sync_faults() is
  'Return a warning for each synced table that misses changes.';
