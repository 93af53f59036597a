-- Readers name no table of postings, because maintenance moves rows from one to the other.
create or replace view braid_store.postings
with (security_invoker = true)
as
select p.* from braid_store.postings_a p
union all
select p.* from braid_store.postings_b p;

comment on view braid_store.postings is
  'The rows of postings_a and postings_b, for reading. Columns are described there.';
