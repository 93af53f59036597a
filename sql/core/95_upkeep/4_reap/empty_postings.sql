-- This function works across tenants.
create or replace function braid_store.empty_postings(
  deadline timestamptz,
  out moved_count bigint,
  out is_complete boolean
)
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set enable_tidscan = on
set enable_seqscan = off
set jit = off
as $$
declare
  c_batch_size constant int := 1000;
  v_tables braid_store.posting_tables;
  v_from text;
  v_to text;
  v_reached tid := '(0,0)';
  v_places tid[];
  v_segment_ids bigint[];
  v_count bigint;
begin
  moved_count := 0;
  is_complete := true;
  perform braid_store.leave_postings();
  select t.* into v_tables from braid_store.posting_tables t where t.only_row for update skip locked;
  if not found then
    is_complete := false; -- Another session works on it.
    return;
  elsif v_tables.left_by is null or v_tables.emptied_by is not null then
    return;
  end if;
  v_to := 'postings_' || v_tables.active;
  v_from := 'postings_' || translate(v_tables.active, 'ab', 'ba');
  loop
    execute format(
      'select array_agg(p.ctid), max(p.ctid) '
      'from (select p.ctid from braid_store.%I p where p.ctid > $1 order by p.ctid limit $2) p', v_from)
    into v_places, v_reached
    using v_reached, c_batch_size;
    exit when v_places is null;
    v_segment_ids := braid_store.lock_postings(v_from, v_places);
    execute format($query$
      with moved as (
        delete from braid_store.%I p
        where p.ctid = any ($1) and p.segment_id = any ($2)
        returning p.*
      )
      insert into braid_store.%I select m.* from moved m
      $query$, v_from, v_to)
    using v_places, v_segment_ids;
    get diagnostics v_count = row_count;
    moved_count := moved_count + v_count;
    is_complete := is_complete and v_count = cardinality(v_places);
    if clock_timestamp() > empty_postings.deadline then
      is_complete := false;
      exit;
    end if;
  end loop;
end
$$;

comment on function braid_store.empty_postings(timestamptz) is
  'Move the postings of the table that writers have left to the other one, until the deadline. Postings that '
  'lock_postings leaves out stay, and is_complete is false.';
