create or replace function braid_store.extend_removal_decompounding(part text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if part = 'decompounding' then
    drop index if exists braid_store.postings_a_reverse_idx, braid_store.postings_b_reverse_idx;
  end if;
end
$$;

comment on function braid_store.extend_removal_decompounding(text) is
  'Drop the indexes of words read from the end, if the part decompounding is removed.';
