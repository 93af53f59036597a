create or replace function braid_store.reap_usage(deadline timestamptz)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  c_days constant int := 400;
  c_batch_size constant int := 2000;
  v_count int;
begin
  loop
    delete from braid_store.embedding_usage u
    -- A ctid is unique in one table only: in other partitions, other days can have the same ctid.
    where u.day < (now() at time zone 'UTC')::date - c_days and u.ctid = any (array(
      select o.ctid
      from braid_store.embedding_usage o
      where o.day < (now() at time zone 'UTC')::date - c_days
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

comment on function braid_store.reap_usage(timestamptz) is
  'Delete usage of embedding services older than 400 days, in batches until the deadline. Return whether none is left.';
