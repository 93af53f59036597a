-- role: service
create or replace function braid_store.trigger_faults(relation regclass, with_replicas boolean)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select 'changes are missed: ' || string_agg(
             format('trigger %s of %s %s', f.name, f.part::regclass,
                    case f.enabled when 'D' then 'is disabled'
                                   when 'O' then 'is not called for rows that come by replication'
                                   when 'R' then 'is called for rows that come by replication alone'
                                   else 'is missing' end), '; ' order by f.part, f.name)
           || '. Call braid.sync_table again, which creates the triggers again and reads all rows.'
    from (
      select c.oid as part, 'braid_note_' || e.name as name, t.tgenabled as enabled
      from pg_class k
      join (values ('insert', '{O,A}', 'r'), ('update', '{O,A}', 'r'), ('delete', '{O,A}', 'r'), ('row', '{R,A}', 'r'),
                   ('truncate', '{A}', 'r'), ('row', '{A}', 'p'), ('truncate', '{A}', 'p')) e (name, firing, kind)
        on e.kind = k.relkind::text
      -- Each partition has its own row triggers.
      cross join lateral (
        select k.oid
        union
        select p.relid from pg_partition_tree(k.oid) p where p.isleaf and e.name = 'row'
      ) c
      left join pg_trigger t on t.tgrelid = c.oid and t.tgname = 'braid_note_' || e.name
      where k.oid = relation and coalesce(t.tgenabled <> all (e.firing::"char"[]), true)
        -- ENABLE TRIGGER ALL leaves row triggers enabled for local changes only, which is harmless
        -- without replication.
        and (with_replicas or k.relkind = 'p' or e.name <> 'row' and t.tgenabled is distinct from 'O'
             or exists (select from pg_subscription_rel s where s.srrelid = relation))
      order by c.oid, e.name
      limit 5
    ) f);
end
$$;

comment on function braid_store.trigger_faults(regclass, boolean) is
  'Return the triggers of a synced table that are missing or not called, so that changes are missed; null if there '
  'are none. with_replicas: also name triggers for replicated rows where no subscription brings any.';
