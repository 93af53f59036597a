-- This function reads across tenants: the owner role calls it.
create or replace function braid_store.extend_health_search_log(older_than interval, shows_messages boolean)
returns table (severity text, code text, subject text, finding text, reason text, command text)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- These settings make the planner read rows in the order of the primary key, so that reading stops at the limit.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  c_tenants constant int := 100;
  c_searches constant int := 100;
  -- Read this many of the last rows of search_hours, which has one row for each hour and mode with searches.
  c_hours constant int := 48;
  v_deadline timestamptz := clock_timestamp() + interval '500 milliseconds';
  c_most_keys constant int := 32; -- the most keys that a collection may declare
begin
  if not shows_messages then
    return;
  end if;
  return query
  -- The log has a table for each day, so tenants are found through the hourly counts and the uncounted searches.
  with recursive part (tenant_id, collection_id) as (
    (select h.tenant_id, h.collection_id from braid_store.search_hours h order by h.tenant_id, h.collection_id limit 1)
    union all
    select n.tenant_id, n.collection_id
    from part p,
         lateral (
           select h.tenant_id, h.collection_id from braid_store.search_hours h
           where (h.tenant_id, h.collection_id) > (p.tenant_id, p.collection_id)
           order by h.tenant_id, h.collection_id
           limit 1
         ) n
    where clock_timestamp() < v_deadline
  ), uncounted (tenant_id) as (
    (select l.tenant_id from only braid_store.search_log l order by l.tenant_id limit 1)
    union all
    select n.tenant_id
    from uncounted u,
         lateral (
           select l.tenant_id from only braid_store.search_log l
           where l.tenant_id > u.tenant_id
           order by l.tenant_id
           limit 1
         ) n
    where clock_timestamp() < v_deadline
  ), warned (tenant_id, count) as (
    select p.tenant_id, (
             select sum(h.warned)
             from (
               select h.warned from braid_store.search_hours h
               where h.tenant_id = p.tenant_id and h.collection_id = p.collection_id
               order by h.hour desc
               limit c_hours
             ) h)
    from part p
    union all
    select u.tenant_id, (
             select count(*)
             from (
               select l.warnings from only braid_store.search_log l
               where l.tenant_id = u.tenant_id
               order by l.search_id desc
               limit c_searches
             ) l
             where 'undeclared_filter' = any (l.warnings))
    from uncounted u
  ), tenant (id) as (
    select w.tenant_id from warned w
    group by w.tenant_id
    having sum(w.count) > 0
    order by sum(w.count) desc, w.tenant_id
    limit c_tenants
  ), slow as (
    select t.id as tenant_id, l.collection_id, braid_store.undeclared_attributes(l.filters, l.collection_id) as keys
    from tenant t,
         lateral (
           select l.collection_id, l.filters, l.warnings from braid_store.search_log l
           where l.tenant_id = t.id
           order by l.search_id desc
           limit c_searches
         ) l
    where 'undeclared_filter' = any (l.warnings)
  ), counted as (
    select s.collection_id, k.key, mode() within group (order by k.type) as type,
           count(distinct s.tenant_id) as tenant_count, count(*) as search_count
    from slow s, jsonb_each_text(s.keys) k (key, type)
    group by s.collection_id, k.key
  ), declared as (
    select a.collection_id, jsonb_object_agg(braid_store.declared_key(a.name), a.type) as keys, count(*) as key_count
    from braid_store.indexed_attributes a
    where a.removed_at is null
    group by a.collection_id
  ), chosen as (
    select c.collection_id, jsonb_object_agg(c.key, c.type) as keys
    from (
      -- Indexes serve all tenants. Keys that most tenants ask for come first, so that no tenant can crowd out the keys
      -- of others.
      select c.*, row_number() over (
               partition by c.collection_id order by c.tenant_count desc, c.search_count desc, c.key) as place
      from counted c
    ) c
    left join declared d on d.collection_id = c.collection_id
    where c.place <= c_most_keys - coalesce(d.key_count, 0)
    group by c.collection_id
  )
  select 'advice', 'filters_undeclared', format('collection %s', c.name),
         format('Among the last %s logged searches of each tenant, the filters of %s took more than 50 ms because a '
                'key has no index.',
                c_searches, (select count(*) from slow s where s.collection_id = c.id and s.keys <> '{}')),
         'These filters scanned every chunk. With an index, filters that few chunks pass take a fraction of the '
         'time, for all tenants; each declared key makes writes a little slower.',
         format(E'select %s(%s, %s);\npgbraid maintain --seconds 3600', 'braid.set_indexed_attributes',
                braid_calls.line_literal((coalesce(d.keys, '{}') || h.keys)::text), braid_calls.line_literal(c.name))
  from chosen h
  join braid_store.collections c on c.id = h.collection_id
  left join declared d on d.collection_id = h.collection_id;
end
$$;

comment on function braid_store.extend_health_search_log(interval, boolean) is
  'Return the findings of braid.health about filters: metadata keys that should be declared. They come from the last '
  '100 logged searches of each of the 100 tenants with the most warnings lately.';
