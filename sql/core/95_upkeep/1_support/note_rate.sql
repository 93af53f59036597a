create or replace function braid_store.note_rate(postings_per_second float8)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- Skip the update if another session has locked the row, because its measurement is as good.
  update braid_store.upkeep_rates r
  set postings_per_second = note_rate.postings_per_second
  where r.ctid = any (array(select u.ctid from braid_store.upkeep_rates u where u.only_row for update skip locked));
$$;

comment on function braid_store.note_rate(float8) is
  'Remember how fast this server has just merged postings.';
