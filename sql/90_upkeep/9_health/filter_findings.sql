-- Cross-tenant: called as the owner role.
create or replace function braid_store.filter_findings()
returns table (severity text, code text, subject text, finding text, reason text, command text)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
-- As in tenant_findings.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  c_tenants constant int := 100;
  c_searches constant int := 100;
  c_most_keys constant int := 32; -- that a collection may declare
begin
  return query
  with recursive tenant (id, place) as (
    (select l.tenant_id, 1 from braid_store.search_log l order by l.tenant_id limit 1)
    union all
    select (select l.tenant_id from braid_store.search_log l where l.tenant_id > t.id order by l.tenant_id limit 1),
           t.place + 1
    from tenant t
    where t.id is not null and t.place < c_tenants
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
      -- Indexes are for all tenants: first what most of them ask for, so that none can crowd out the keys of others.
      select c.*, row_number() over (
               partition by c.collection_id order by c.tenant_count desc, c.search_count desc, c.key) as place
      from counted c
    ) c
    left join declared d on d.collection_id = c.collection_id
    where c.place <= c_most_keys - coalesce(d.key_count, 0)
    group by c.collection_id
  )
  select 'advice', 'filters_undeclared', format('collection %s', c.name),
         format('Among the last %s logged searches of each tenant, the filters of %s took more than 50 ms for want of an index.',
                c_searches, (select count(*) from slow s where s.collection_id = c.id and s.keys <> '{}')),
         'Every chunk was looked at. What few chunks pass, an index finds in a fraction of the time, for all tenants; each write '
         'takes a little longer for each key.',
         format(E'select %s(%s, %s);\npgbraid maintain --seconds 3600', 'braid.set_indexed_attributes',
                braid_store.line_literal((coalesce(d.keys, '{}') || h.keys)::text), braid_store.line_literal(c.name))
  from chosen h
  join braid_store.collections c on c.id = h.collection_id
  left join declared d on d.collection_id = h.collection_id;
end
$$;

comment on function braid_store.filter_findings() is
  'The findings of braid.health about filters: which metadata keys had better be declared, by the last 100 logged searches of '
  'each of the first 100 tenants that have any.';
