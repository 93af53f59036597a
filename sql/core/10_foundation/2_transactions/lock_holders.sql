create or replace function braid_store.lock_holders(
  relations regclass[],
  modes text[],
  transaction_ids xid[] default '{}'
)
returns text
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select string_agg(h.description, ', ' order by h.description) filter (where h.place <= 3)
         || case when count(*) > 3 then format(' and %s more', count(*) - 3) else '' end
  from (
    select t.description, row_number() over (order by t.description) as place
    from (
      select distinct
             case when l.pid is null
               then format('prepared transaction ''%s'' of user "%s", prepared at %s', p.gid, p.owner,
                           date_trunc('second', p.prepared))
               else format('process %s', l.pid) || coalesce(format(' of user "%s"', a.usename), '')
                    || case when a.state is not null
                         then format(', %s since %s', a.state, date_trunc('second', a.state_change)) else '' end
             end as description
      from pg_locks l
      left join pg_stat_activity a on a.pid = l.pid
      left join (
        select x.*, i.virtualtransaction
        from pg_prepared_xacts x
        join pg_locks i on i.locktype = 'transactionid' and i.transactionid = x.transaction and i.pid is null
      ) p on l.pid is null and p.virtualtransaction = l.virtualtransaction
      where l.granted and l.pid is distinct from pg_backend_pid()
        and (l.locktype = 'relation' and l.relation = any (lock_holders.relations) and l.mode = any (lock_holders.modes)
             and l.database = (select d.oid from pg_database d where d.datname = current_database())
             or l.locktype = 'transactionid' and l.transactionid = any (lock_holders.transaction_ids))
    ) t
  ) h;
$$;

comment on function braid_store.lock_holders(regclass[], text[], xid[]) is
  'Describe in words which other transactions are in the way. They have one of these ids, or hold a lock on one of '
  'the relations in one of the modes. Name at most three and count the rest. Show only what the owner of this '
  'function sees in pg_stat_activity. Return null if all have ended.';
