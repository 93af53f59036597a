-- role: service
-- tenants: all
create or replace function braid_store.sync_states()
returns table (
  table_name text,
  collection text,
  tenant text,
  state text,
  row_estimate bigint,
  document_count bigint,
  waiting_count bigint,
  failed_count bigint,
  last_error text,
  rows_per_second float8,
  seconds_left float8
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
  select coalesce(r.relation::text, s.table_name), c.name, t.key,
         case when s.phase = 'end' then 'end' when r.relation is null then 'dropped' when c.id is null
           then 'no collection'
              when t.id is null and s.fixed_tenant_id is not null then 'no tenant' else s.phase end,
         e.row_estimate, d.document_count, w.waiting_count, w.failed_count, coalesce(w.last_error, s.last_error),
           p.rate,
         case when s.phase = 'backfill' and e.row_estimate > s.phase_count
           then (e.row_estimate - s.phase_count) / p.rate end
  from braid_store.synced_tables s
  cross join lateral (select braid_store.synced_relation(s.id) as relation) r
  left join braid_store.collections c on c.id = s.collection_id
  left join braid_store.tenants t on t.id = s.fixed_tenant_id
  cross join lateral (
    select coalesce(sum(greatest(k.reltuples, 0)), 0)::bigint as row_estimate
    from pg_class k
    where k.relkind = 'r' and (k.oid = r.relation or k.oid in (select p.relid from pg_partition_tree(r.relation) p))) e
  cross join lateral (
    select count(*) as document_count from braid_store.synced_rows o where o.synced_table_id = s.id) d
  cross join lateral (
    select count(*) as waiting_count, count(*) filter (where h.attempts > 0) as failed_count,
           max(h.last_error) as last_error
    from braid_store.row_changes h where h.synced_table_id = s.id) w
  cross join lateral (select s.phase_count / nullif(s.phase_seconds, 0) as rate) p
  order by 1;
end
$$;

comment on function braid_store.sync_states() is
  'Do the work of braid.sync_status.';
