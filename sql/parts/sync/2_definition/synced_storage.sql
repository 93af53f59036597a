create or replace function braid_store.synced_storage(relation regclass, fields jsonb)
returns jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    with recursive parts as (
      select relation::oid as id union select p.relid from pg_partition_tree(relation) p where p.isleaf
    ), columns as (
      select a.*
      from pg_attribute a
      where a.attrelid = relation and a.attnum > 0 and not a.attisdropped
        and exists (select from jsonb_each(synced_storage.fields) f where f.value ? a.attname)
    ), types as (
      select c.atttypid as id from columns c
      union
      select r.id
      from types p
      join pg_type t on t.oid = p.id
      cross join lateral (
        select t.typelem union all select t.typbasetype
        union all
        select g.rngsubtype from pg_range g where t.oid in (g.rngtypid, g.rngmultitypid)
        union all
        select a.atttypid from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
      ) r (id)
      where r.id <> 0
    )
    select jsonb_build_object(
      -- The oid of synced_tables tells a restored database, in which older numbers mean nothing.
      'catalog', 'braid_store.synced_tables'::regclass::oid,
      'table', relation::oid,
      'files', (select jsonb_agg(c.relfilenode order by c.relfilenode) from pg_class c join parts p on p.id = c.oid),
      -- Its xmin changes if a trigger is disabled and enabled, or a partition detached and attached.
      'triggers', (
        select jsonb_agg(t.xmin::text order by t.tgrelid, t.tgname)
        from pg_trigger t
        where starts_with(t.tgname::text, 'braid_note_') and t.tgrelid in (select p.id from parts p)),
      'crash_mark', case when exists (select from pg_class c join parts p on p.id = c.oid where c.relpersistence = 'u')
                         then coalesce((select min(m.id::text) from braid_store.crash_marks m), 'none') end,
      'types', jsonb_build_object(
        -- A change of a virtual generated column leaves the table's files as they are.
        'columns', (
          select coalesce(jsonb_object_agg(c.attnum, jsonb_build_array(c.atttypmod, pg_get_expr(d.adbin, d.adrelid))),
            '{}')
          from columns c
          left join pg_attrdef d on d.adrelid = relation and d.adnum = c.attnum
          where c.attgenerated = 'v'),
        'labels', (
          select coalesce(jsonb_object_agg(e.oid, e.enumlabel), '{}')
          from pg_enum e
          where e.enumtypid in (select t.id from types t)),
        'attributes', (
          select coalesce(jsonb_object_agg(r.id, r.attributes), '{}')
          from (
            select a.attrelid as id, string_agg(a.attnum || ':' || a.atttypid, ',' order by a.attnum) as attributes
            from types p
            join pg_type t on t.oid = p.id
            join pg_attribute a on a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
            group by a.attrelid
          ) r))));
end
$$;

comment on function braid_store.synced_storage(regclass, jsonb) is
  E'Return the state that shows whether rows of a synced table, or their values as text, may have changed without a '
  'trigger call.\n'
  'It has the table''s files (changed by a rewrite or TRUNCATE), its triggers, a mark that a crash removes if the '
  'table is unlogged, and the labels of its enums.';
