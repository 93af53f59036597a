create or replace function braid_store.synced_parts(relation regclass)
returns oid[]
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(o.id order by o.id), '{}')
  from pg_partition_tree(relation) p
  cross join lateral (
    select c.relfilenode from pg_class c where c.oid = p.relid
    union all
    -- It has another one after it was detached and attached again.
    select t.oid from pg_trigger t where t.tgrelid = p.relid and t.tgname = 'braid_note_row'
  ) o (id)
  where p.isleaf and p.level > 0;
$$;

comment on function braid_store.synced_parts(regclass) is
  'The files of a partitioned table''s partitions, and the triggers that they have of it: others if a partition was '
  'attached, detached, dropped or truncated, which fires no trigger. Empty for other tables.';
