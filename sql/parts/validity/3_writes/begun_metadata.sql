create or replace function braid_store.begun_metadata(
  tenant_id int,
  collection_id int,
  external_id text,
  metadata jsonb
)
returns jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_until text := metadata ->> 'valid_until';
  v_end text;
begin
  if metadata ? 'valid_from' then
    return metadata;
  end if;
  select max(o.valid_until collate "C") into v_end
  from braid_store.stored_versions(tenant_id, collection_id, begun_metadata.external_id) o
  where o.external_id <> begun_metadata.external_id
    and o.valid_from < o.valid_until collate "C" and o.valid_until <> '~'
    and (o.valid_from < v_until collate "C") is not false;
  return case when v_end is null then metadata
              else metadata || jsonb_build_object('valid_from', least(v_end, v_until collate "C")) end;
end
$$;

comment on function braid_store.begun_metadata(int, int, text, jsonb) is
  'Return the metadata of a document with valid_from: if it does not say since when it is valid, it begins where its '
  'last former version ends. Without former versions it has no beginning.';
