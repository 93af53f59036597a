-- role: service
create or replace function braid_store.apply_rows(
  synced braid_store.synced_tables,
  query text,
  collection text,
  tenant text,
  tenants text[],
  keys jsonb[],
  only_gone boolean
)
returns int
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_part record;
  v_is_first boolean := true;
  v_is_certain boolean;
  -- A trigger may write documents in mode immediate, and narrow who may read them.
  v_rereads boolean := synced.mode <> 'deferred' or synced.fields ? 'access';
  v_read jsonb;
  -- v_written maps tenant and id to the document's hash; '' if the document is gone, '-' if it is gone after this call
  -- wrote it.
  v_written jsonb := '{}';
  v_count int := 0;
begin
  loop
    v_is_certain := true;
    for v_part in
      select * from braid_store.read_rows(apply_rows.query, apply_rows.tenant, apply_rows.tenants, apply_rows.keys)
    loop
      if v_is_first then
        v_count := v_count + jsonb_array_length(v_part.documents) + cardinality(v_part.gone_ids);
        v_part.documents := case when only_gone then '[]' else v_part.documents end;
      end if;
      if v_rereads then
        select coalesce(jsonb_object_agg(r.name, r.hash), '{}'),
               coalesce(jsonb_agg(r.document) filter (where r.document is not null), '[]'),
               coalesce(array_agg(r.external_id) filter (where r.document is null), '{}')
        into v_read, v_part.documents, v_part.gone_ids
        from (
          select n.name, e.external_id, e.document,
                 case when e.hash is not null then e.hash when coalesce(v_written ->> n.name, '') = '' then '' else '-'
                   end as hash
          from (
            select d.value ->> 'external_id' as external_id, d.value as document,
                   encode(sha256(convert_to(d.value::text, 'UTF8')), 'hex') as hash
            from jsonb_array_elements(v_part.documents) d
            union all
            select g.external_id, null, null from unnest(v_part.gone_ids) g (external_id)
          ) e,
          lateral (select jsonb_build_array(v_part.row_tenant, e.external_id)::text as name) n
        ) r
        where r.hash is distinct from v_written ->> r.name
          -- A row that came back after it was gone is written again.
          and (not only_gone or r.document is null or v_written ? r.name);
        continue when v_read = '{}';
        v_is_certain := v_is_certain
                        and not exists (select from jsonb_object_keys(v_read) n (name)
                          where coalesce(v_written ->> n.name, '') = '');
        v_written := v_written || v_read;
      end if;
      -- The caller restores the setting.
      perform set_config('braid.tenant', v_part.row_tenant, true);
      -- A dropped tenant has no documents to delete.
      if braid_calls.session_tenant_key() is distinct from v_part.row_tenant then
        continue when v_part.documents = '[]' and not braid_store.row_tenant_exists(v_part.row_tenant);
        if synced.fields ? 'tenant_column' and not braid_store.row_tenant_exists(v_part.row_tenant) then
          perform braid_store.create_row_tenant(v_part.row_tenant);
        end if;
      end if;
      if braid_calls.session_tenant_key() is distinct from v_part.row_tenant then
        raise exception 'tenant "%" does not exist, or login "%" may not act for it', left(v_part.row_tenant, 255),
          session_user
          using errcode = '42704',
                hint = 'Create the tenant with braid.create_tenant, or let rows create it with '
                       'braid.set_access(create_tenants => true). If the tenant exists, make the login a service '
                       'with braid.add_trusted_role.';
      end if;
      perform braid_store.apply_part(synced, apply_rows.collection, v_part.documents, v_part.gone_ids);
    end loop;
    -- A trigger may have applied a row between reading and writing, so rows are read again while their documents are
    -- locked. From then on, a statement that changes such a row waits in vain for the lock and notes the change. Only a
    -- new document, which was not locked, needs another read, however fast rows change.
    exit when v_is_certain or not v_rereads;
    v_is_first := false;
  end loop;
  return v_count;
end
$$;

comment on function braid_store.apply_rows(braid_store.synced_tables, text, text, text, text[], jsonb[], boolean) is
  'Make the documents of keys agree with the rows of a synced table. The arguments are as in read_rows. only_gone: '
  'only delete. Leave braid.tenant set. Return how many documents it looked at.';
