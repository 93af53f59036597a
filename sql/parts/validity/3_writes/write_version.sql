create or replace function braid_store.write_version(
  tenant_id int,
  collection braid_store.collections,
  document jsonb,
  input braid_store.document_input
)
returns braid_store.write_result
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
#variable_conflict use_column
declare
  v_id text := input.external_id;
  v_metadata jsonb := braid_store.stored_validity(input.metadata, v_id);
  v_from text := v_metadata ->> 'valid_from'; -- An empty text stands for a version without a beginning.
  v_current record;
  v_valid record; -- The version that is valid now.
  v_versions record;
  v_target text := v_id;
  v_likeness text; -- A version whose columns of parts, such as who may read it, the new version gets.
  v_taken text; -- the external_id of a version that another document has
  v_result braid_store.write_result;
begin
  select d.id, d.content_hash, coalesce(d.metadata ->> 'valid_from', '') collate "C" as valid_from,
         coalesce(d.metadata ->> 'valid_until', '~') collate "C" as valid_until,
         braid_store.version_key(d.external_id, d.metadata) as key
  into v_current
  from braid_store.documents d
  where d.tenant_id = write_version.tenant_id and d.collection_id = (write_version.collection).id
    and d.external_id = v_id
  for update;
  if v_current.key <> v_id then
    raise exception 'document "%" is a former version of document "%"', left(v_id, 255), left(v_current.key, 100)
      using errcode = '22023',
            hint = 'Give the external_id of the document and the valid_from of the version, or change the former '
                   'version by upsert_documents.';
  end if;
  if v_from is null then
    v_from := braid_store.instant_text(clock_timestamp());
    v_valid := v_current;
    if v_current.valid_from collate "C" > v_from then
      -- The latest version is yet to come.
      select d.content_hash, f.valid_from, f.valid_until into v_valid
      from braid_store.stored_versions(tenant_id, (collection).id, v_id) f
      join braid_store.documents d on d.tenant_id = write_version.tenant_id
        and d.collection_id = (write_version.collection).id and d.external_id = f.external_id
      where f.valid_from <= v_from collate "C" and f.valid_from < f.valid_until collate "C"
      order by f.valid_from collate "C" desc
      limit 1;
    end if;
    -- The same text again tells nothing new, unless it has ceased to hold.
    if v_valid.content_hash = input.content_hash and v_valid.valid_until > v_from collate "C" then
      v_from := v_valid.valid_from;
    end if;
  end if;

  -- Lock the former versions in their order: "A" is the character after "@".
  perform from braid_store.documents d
  where d.tenant_id = write_version.tenant_id and d.collection_id = (write_version.collection).id
    and d.external_id >= v_id || '@' and d.external_id < v_id || 'A'
    and braid_store.version_key(d.external_id, d.metadata) = v_id
  order by d.external_id
  for update;
  -- A former version that was never valid gives way.
  perform braid_store.delete_listed(tenant_id, (collection).id, array[v.external_id])
  from braid_store.stored_versions(tenant_id, (collection).id, v_id) v
  where v.valid_from = v_from and v.valid_from >= v.valid_until collate "C" and v.external_id <> v_id;
  select max(v.valid_from) filter (where v.valid_from < v_from and v.valid_from < v.valid_until) as previous,
         min(v.valid_from) filter (where v.valid_from > v_from and v.valid_from < v.valid_until) as next,
         -- The document's own id comes before the others.
         min(v.external_id) filter (where v.valid_from = v_from) as same_id,
         min(nullif(v.valid_until, '~')) filter (where v.valid_from = v_from and v.valid_from < v.valid_until)
           as same_until,
         min(v.external_id) as any_id
  into v_versions
  from (
    select s.external_id collate "C" as external_id, s.valid_from collate "C" as valid_from,
           s.valid_until collate "C" as valid_until
    from braid_store.stored_versions(tenant_id, (collection).id, v_id) s
  ) v;

  if v_versions.previous is not null then
    perform braid_store.end_version(
      tenant_id, collection,
      case when v_versions.previous = v_current.valid_from then v_id
           else braid_store.version_id(v_id, nullif(v_versions.previous, '')) end,
      v_from);
  end if;
  if v_versions.same_id is not null then
    v_target := v_versions.same_id;
  else
    v_likeness := v_versions.any_id;
    if v_versions.next is not null then
      v_target := braid_store.version_id(v_id, v_from);
    elsif v_current.id is not null then
      document := braid_store.extend_version(document, tenant_id, v_current.id);
      v_likeness := braid_store.version_id(v_id, v_current.valid_from);
      begin
        update braid_store.documents d
        set external_id = v_likeness, updated_at = now()
        where d.tenant_id = write_version.tenant_id and d.id = v_current.id;
      exception when unique_violation then
        v_taken := v_likeness;
      end;
    end if;
    if v_taken is null and v_likeness is not null
       and not braid_store.copy_document(tenant_id, (collection).id, v_likeness, v_target) then
      v_taken := v_target;
    end if;
    if v_taken is not null then
      perform braid_store.extend_lost_documents(tenant_id, (collection).id, array[v_taken]);
      if v_taken = v_id or exists (
           select from braid_store.documents d
           where d.tenant_id = write_version.tenant_id and d.collection_id = (write_version.collection).id
             and d.external_id = v_taken and coalesce(d.metadata ->> 'valid_from', '') = v_from)
      then
        return null; -- Another session has written the version since this function looked for it.
      end if;
      raise exception 'another document has the external_id "%" of a version of document "%"', left(v_taken, 255),
                      left(v_id, 100)
        using errcode = '22023', hint = 'Delete that document, or give it another external_id, and call again.';
    end if;
  end if;
  v_metadata := v_metadata || jsonb_build_object(
    'valid_from', nullif(v_from, ''),
    'valid_until', least(coalesce(v_metadata ->> 'valid_until', v_versions.same_until), v_versions.next collate "C"));
  v_result := w
    from braid_calls.write_documents(
      jsonb_build_array(document || jsonb_build_object('external_id', v_target, 'metadata', v_metadata)),
      (collection).name) w;
  if v_likeness is not null then
    v_result.status := 'inserted';
  elsif v_versions.same_id is null and v_result.status <> 'inserted' then
    return null; -- Another session has written the document since this function looked for it.
  end if;
  return v_result;
end
$$;

comment on function braid_store.write_version(int, braid_store.collections, jsonb, braid_store.document_input) is
  'Store a document as a version of the document with its external_id. Versions end where the next one begins. The '
  'latest version has the external_id itself, all others have version_id(). Return null if another session wrote '
  'the document meanwhile: the caller must then undo what this function wrote.';
