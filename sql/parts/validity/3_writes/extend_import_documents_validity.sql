create or replace function braid_store.extend_import_documents_validity(
  tenant_id int,
  collection braid_store.collections,
  document_ids bigint[],
  documents jsonb[]
)
returns void
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wrong record;
begin
  if (collection.parts -> 'validity')::boolean is not true then
    return;
  end if;
  select u.document ->> 'external_id' as external_id, k.key into v_wrong
  from unnest(documents) u (document), unnest('{valid_from,valid_until,expires_at}'::text[]) k (key)
  where u.document -> 'metadata' ? k.key
    and not braid_store.is_stored_instant(u.document -> 'metadata' -> k.key)
  limit 1;
  if found then
    raise exception 'document "%" has % in another form', left(v_wrong.external_id, 100), v_wrong.key
      using errcode = '22023',
            hint = 'It comes from a collection without validity. Write such times as 2026-03-01T00:00:00.000000Z.';
  end if;
end
$$;

comment on function braid_store.extend_import_documents_validity(int, braid_store.collections, bigint[], jsonb[]) is
  'Raise 22023 if an imported document of a collection with validity has its times in another form than searches '
  'compare.';
