create or replace function braid_store.note_rate(postings_per_second float8 default null, index_work_per_second float8 default null)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  -- Slower at once, faster by halves: what takes longer than thought matters more. Another session's measure will do as
  -- well.
  update braid_store.upkeep_rates r
  set postings_per_second = least(note_rate.postings_per_second,
                                  (r.postings_per_second + coalesce(note_rate.postings_per_second, r.postings_per_second)) / 2),
      index_work_per_second = least(note_rate.index_work_per_second,
                                    (r.index_work_per_second
                                     + coalesce(note_rate.index_work_per_second, r.index_work_per_second)) / 2)
  where r.ctid = any (array(select u.ctid from braid_store.upkeep_rates u where u.only_row for update skip locked));
$$;

comment on function braid_store.note_rate(float8, float8) is
  'Keeps how fast this server has just merged postings, or made a vector index.';
