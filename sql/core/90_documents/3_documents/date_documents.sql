create or replace function braid_store.date_documents(
  tenant_id int,
  collection_id int,
  inputs braid_store.document_input[]
)
returns braid_store.document_input[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_undated record;
begin
  for v_undated in
    -- ordinality is the place in inputs.
    select i.ordinality, d.created_at
    from unnest(date_documents.inputs) i
    left join lateral (
      select d.created_at from braid_store.documents d
      where d.tenant_id = date_documents.tenant_id and d.collection_id = date_documents.collection_id
        and d.external_id = i.external_id
      offset 0
    ) d on true
    where i.occurred_at is null
  loop
    inputs[v_undated.ordinality].occurred_at := coalesce(v_undated.created_at, now());
  end loop;
  return inputs;
end
$$;

comment on function braid_store.date_documents(int, int, braid_store.document_input[]) is
  'Return the documents of a batch, where a document without occurred_at gets the time at which it was first written.';
