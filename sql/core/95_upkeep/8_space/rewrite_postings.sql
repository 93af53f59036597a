-- This function works across tenants. It is for the owner of the tables, because only the owner can vacuum them.
create or replace function braid_store.rewrite_postings(places tid[])
returns bigint
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set enable_tidscan = on
set jit = off
as $$
#variable_conflict use_column
declare
  v_segment_ids bigint[];
  v_toast oid := (select c.reltoastrelid from pg_class c where c.oid = 'braid_store.postings'::regclass);
  v_toast_bytes bigint := pg_relation_size(v_toast);
begin
  -- move_postings explains why it also requires READ COMMITTED.
  if current_setting('transaction_isolation') <> 'read committed' then
    return null;
  end if;
  v_segment_ids := braid_store.lock_postings(rewrite_postings.places);
  with moved as (
    delete from braid_store.postings p
    where p.ctid = any (rewrite_postings.places) and p.segment_id = any (v_segment_ids)
    returning p.*
  )
  insert into braid_store.postings (tenant_id, collection_id, lexeme, segment_id, document_frequency, posting_count,
                                    elements, block_weight, blocks)
  select m.tenant_id, m.collection_id, m.lexeme, m.segment_id, m.document_frequency, m.posting_count, m.elements,
         m.block_weight, m.blocks
  from moved m;
  return pg_relation_size(v_toast) - v_toast_bytes;
end
$$;

comment on function braid_store.rewrite_postings(tid[]) is
  'Rewrite the postings at these places in the table, with their values that are stored out of line, into space that '
  'a vacuum has freed. Postings that lock_postings leaves out stay. Return by how many bytes the TOAST file has '
  'grown; null in isolation levels other than read committed.';
