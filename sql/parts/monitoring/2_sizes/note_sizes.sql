create or replace function braid_store.note_sizes(deadline timestamptz)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_kept_days constant int := 400;
  c_batch_size constant int := 2000;
  v_day date := (clock_timestamp() at time zone 'UTC')::date;
  v_count int;
begin
  if not exists (select from braid_store.daily_table_sizes d where d.day = v_day) then
    begin
      -- One session records the sizes; another session gives up instead of waiting.
      lock table braid_store.daily_table_sizes in share row exclusive mode nowait;
      if not exists (select from braid_store.daily_table_sizes d where d.day = v_day) then
        insert into braid_store.daily_table_sizes (day, table_name, row_bytes, index_bytes)
        select v_day, s.kind, sum(s.row_bytes), sum(s.index_bytes)
        from (
          -- Numbered tables count as one kind.
          select regexp_replace(c.name, '_[0-9]+$', '') as kind, pg_table_size(c.oid) as row_bytes,
                 pg_indexes_size(c.oid) as index_bytes
          from braid_store.stored_tables() c
          -- Reading the size of a table that is being dropped would wait for the drop.
          where not exists (
              select from pg_locks l
              where l.relation = c.oid and l.locktype = 'relation' and l.mode = 'AccessExclusiveLock' and l.granted
                and l.database = (select d.oid from pg_database d where d.datname = current_database())
                and l.pid is distinct from pg_backend_pid())
        ) s
        where s.row_bytes is not null
        group by s.kind;
        -- A loose index scan from the end finds the last recorded row of each part.
        with recursive noted as (
          (select d.tenant_id, d.collection_id, d.chunk_count, d.token_count, d.vector_count
           from braid_store.daily_part_sizes d
           order by d.tenant_id desc, d.collection_id desc, d.day desc
           limit 1)
          union all
          select b.*
          from noted n
          cross join lateral (
            select d.tenant_id, d.collection_id, d.chunk_count, d.token_count, d.vector_count
            from braid_store.daily_part_sizes d
            where (d.tenant_id, d.collection_id) < (n.tenant_id, n.collection_id)
            order by d.tenant_id desc, d.collection_id desc, d.day desc
            limit 1
          ) b
        )
        insert into braid_store.daily_part_sizes (tenant_id, collection_id, day, chunk_count, token_count, vector_count,
                                                  byte_count)
        select t.id, c.id, v_day, coalesce(p.chunk_count, 0), coalesce(p.token_count, 0), coalesce(p.vector_count, 0),
               coalesce(p.byte_count, 0)
        from braid_store.part_sizes() p
        full join noted n on n.tenant_id = p.tenant_id and n.collection_id = p.collection_id
        -- Rows of dropped tenants and collections may still exist.
        join braid_store.tenants t on t.id = coalesce(p.tenant_id, n.tenant_id)
        join braid_store.collections c on c.id = coalesce(p.collection_id, n.collection_id)
        where (coalesce(p.chunk_count, 0), coalesce(p.token_count, 0), coalesce(p.vector_count, 0))
              is distinct from (n.chunk_count, n.token_count, n.vector_count)
        on conflict do nothing;
        delete from braid_store.daily_table_sizes d where d.day < v_day - c_kept_days;
      end if;
    exception when lock_not_available then
      null;
    end;
  end if;
  loop
    delete from braid_store.daily_part_sizes s
    where s.ctid = any (array(
      select o.ctid
      from braid_store.daily_part_sizes o
      where o.day < v_day - c_kept_days
      order by o.day
      limit c_batch_size
      for update skip locked));
    get diagnostics v_count = row_count;
    if v_count < c_batch_size then
      return true;
    elsif clock_timestamp() > deadline then
      return false;
    end if;
  end loop;
end
$$;

comment on function braid_store.note_sizes(timestamptz) is
  E'Record the sizes of tables and of tenants'' parts of collections once a day, for storage_growth and '
  'tenant_growth.\n'
  'Delete records older than 400 days, in batches until the deadline, and return whether none is left. If another '
  'session records the sizes, or keeps a table locked, leave it to the next call.';
