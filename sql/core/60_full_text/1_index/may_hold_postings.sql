create or replace function braid_store.may_hold_postings(posting_table regclass)
returns boolean
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    -- A partitioned table, as the nodes of a cluster have, has no file of its own.
    select c.relkind = 'p' or pg_relation_size(c.oid) > 0
    from pg_class c
    where c.oid = may_hold_postings.posting_table);
end
$$;

comment on function braid_store.may_hold_postings(regclass) is
  'Tell whether postings_a or postings_b may have rows: an empty file has none.';
