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
  c_time constant text := E'^(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z)?$';
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
         d.metadata ->> 'valid_until' as valid_until
  into v_current
  from braid_store.documents d
  where d.tenant_id = write_version.tenant_id and d.collection_id = (write_version.collection).id
    and d.external_id = v_id
  for update;
  if v_from is null then
    v_from := braid_store.instant_text(clock_timestamp());
    v_valid := v_current;
    if v_current.valid_from collate "C" > v_from then
      -- The latest version is yet to come.
      select f.content_hash, f.valid_from, f.valid_until into v_valid
      from (
        select d.external_id, d.content_hash, coalesce(d.metadata ->> 'valid_from', '') collate "C" as valid_from,
               d.metadata ->> 'valid_until' as valid_until
        from braid_store.documents d
        where d.tenant_id = write_version.tenant_id and d.collection_id = (write_version.collection).id
          and d.external_id >= v_id || '@' and d.external_id < v_id || 'A'
        order by d.external_id
        offset 0
      ) f
      where substr(f.external_id, length(v_id) + 2) ~ c_time and f.valid_from <= v_from
      order by f.valid_from desc
      limit 1;
    end if;
    -- The same text again tells nothing new, unless it has ceased to hold.
    if v_valid.content_hash = input.content_hash and (v_valid.valid_until collate "C" <= v_from) is not true then
      v_from := v_valid.valid_from;
    end if;
  end if;

  select max(v.valid_from) filter (where v.valid_from < v_from) as previous,
         min(v.valid_from) filter (where v.valid_from > v_from) as next,
         -- The document's own id comes before the others.
         min(v.external_id) filter (where v.valid_from = v_from) as same_id,
         min(v.valid_until) filter (where v.valid_from = v_from) as same_until,
         min(v.external_id) as any_id
  into v_versions
  from (
    select d.external_id, coalesce(d.metadata ->> 'valid_from', '') collate "C" as valid_from,
           d.metadata ->> 'valid_until' as valid_until
    from (
      select d.external_id, d.metadata from braid_store.documents d
      where d.tenant_id = write_version.tenant_id and d.collection_id = (write_version.collection).id
        -- Former versions: "A" is the character after "@".
        and d.external_id >= v_id || '@' and d.external_id < v_id || 'A'
      order by d.external_id
      for update
    ) d
    where substr(d.external_id, length(v_id) + 2) ~ c_time
    union all
    select v_id, v_current.valid_from, d.metadata ->> 'valid_until'
    from braid_store.documents d
    where d.tenant_id = write_version.tenant_id and d.id = v_current.id
  ) v;

  if v_versions.same_id is not null then
    v_target := v_versions.same_id;
  else
    if v_versions.previous is not null then
      perform braid_store.end_version(
        tenant_id, collection,
        case when v_versions.previous = v_current.valid_from then v_id
             else braid_store.version_id(v_id, v_versions.previous) end,
        v_from);
    end if;
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
