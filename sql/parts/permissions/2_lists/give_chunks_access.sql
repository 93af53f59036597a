create or replace function braid_store.give_chunks_access(tenant_id int, document_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
begin
  update braid_store.chunks c
  set access_list_id = d.access_list_id
  from unnest(give_chunks_access.document_ids) u (document_id),
       lateral (
         select d.access_list_id from braid_store.documents d
         where d.tenant_id = give_chunks_access.tenant_id and d.id between u.document_id and u.document_id
         order by d.id
         offset 0
       ) d
  where c.tenant_id = give_chunks_access.tenant_id and c.document_id = u.document_id
    and c.access_list_id is distinct from d.access_list_id;
end
$$;

comment on function braid_store.give_chunks_access(int, bigint[]) is
  'Give the chunks of documents the access list of their document.';
