-- role: administrator
-- tenants: all
create or replace function braid_store.define_sync(
  relation regclass,
  fields jsonb,
  collection text,
  tenant text,
  mode text,
  on_error text
)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_collection braid_store.collections := braid_store.find_collection(define_sync.collection);
  v_tenant_id int;
  v_owner text := (select r.rolname from pg_class c join pg_roles r on r.oid = c.relowner
                   where c.oid = define_sync.relation);
  v_synced_table_id int;
  v_synced braid_store.synced_tables;
begin
  -- start_sync has checked the caller's role; check again for callers that skip start_sync.
  if not pg_has_role(session_user, v_owner, 'MEMBER') then
    raise exception 'table "%" belongs to "%"', define_sync.relation, v_owner
      using errcode = '42501', hint = 'Log in as its owner, or as a member of that role.';
  end if;
  if define_sync.fields ? 'access' and not braid_store.extend_document_attributes() ? 'access' then
    raise exception 'access is given, and no installed part stores it'
      using errcode = '22023', hint = 'Run: pgbraid init --with permissions';
  end if;
  perform braid_store.check_synced_relation(define_sync.relation, define_sync.fields, define_sync.mode);
  if define_sync.tenant is not null then
    select t.id into v_tenant_id from braid_store.tenants t where t.key = define_sync.tenant;
    if not found then
      raise exception 'tenant "%" does not exist', left(define_sync.tenant, 255)
        using errcode = '42704', hint = 'Create it with braid.create_tenant.';
    end if;
  end if;

  select s.id into v_synced_table_id
  from braid_store.synced_tables s
  where braid_store.synced_relation(s.id) = define_sync.relation
  for update;
  if not found then
    insert into braid_store.synced_tables (table_name, table_owner, collection_id, fixed_tenant_id, fields, columns,
                                           relation_id, on_error)
    values ('', '', 0, null, '{}', '{}', 0, 'keep')
    returning id into v_synced_table_id;
  elsif exists (select from braid_store.synced_tables s where s.id = v_synced_table_id
                  and s.collection_id <> v_collection.id
                  and exists (select from braid_store.collections c where c.id = s.collection_id)
                  and exists (select from braid_store.synced_rows r join braid_store.tenants t on t.id = r.tenant_id
                              where r.synced_table_id = s.id)) then
    raise exception 'table "%" is kept in another collection', define_sync.relation
      using errcode = '22023', hint = 'End that sync first with braid.unsync_table.';
  elsif exists (select from braid_store.synced_tables s where s.id = v_synced_table_id
                  and case when s.relation_id = define_sync.relation::oid then
                    -- A renamed column keeps its number.
                    (select jsonb_agg(s.columns -> c.value -> 0 order by c.ordinality)
                     from jsonb_array_elements_text(s.fields -> 'id') with ordinality c)
                    <> (select jsonb_agg(braid_store.synced_columns(define_sync.relation, define_sync.fields)
                                         -> c.value -> 0 order by c.ordinality)
                        from jsonb_array_elements_text(define_sync.fields -> 'id') with ordinality c)
                  else s.fields -> 'id' <> define_sync.fields -> 'id' end)
        and exists (select from braid_store.synced_rows r where r.synced_table_id = v_synced_table_id) then
    raise exception 'id is (%), but documents of table "%" have another id', (
                      select string_agg(c.name, ', ')
                        from jsonb_array_elements_text(define_sync.fields -> 'id') c (name)),
                    define_sync.relation
      using errcode = '22023', hint = 'Delete these documents first with braid.unsync_table.';
  elsif exists (select from braid_store.synced_tables s where s.id = v_synced_table_id
                  and s.fields ? 'access' and not define_sync.fields ? 'access')
        and exists (select from braid_store.synced_rows r where r.synced_table_id = v_synced_table_id) then
    -- An argument that was forgotten must not open all documents.
    raise exception 'access is null, and documents of table "%" have access', define_sync.relation
      using errcode = '22023',
            hint = 'Name the column, or delete these documents first with braid.unsync_table.';
  elsif exists (select from braid_store.synced_tables s where s.id = v_synced_table_id
                  and s.fields -> 'access' is distinct from define_sync.fields -> 'access') then
    perform braid_store.close_rows(v_synced_table_id);
  end if;
  -- Start from the beginning, so that repeating the call applies missed rows.
  update braid_store.synced_tables s
  set table_name = define_sync.relation::text, table_owner = v_owner, collection_id = v_collection.id,
      fixed_tenant_id = v_tenant_id, fields = define_sync.fields, relation_id = define_sync.relation::oid,
      columns = braid_store.synced_columns(define_sync.relation, define_sync.fields),
      -- take_sync sets it once the triggers exist.
      storage = null,
      mode = define_sync.mode, on_error = define_sync.on_error, phase = 'backfill', reached_key = null,
      reached_tenant_id = 0, phase_count = 0, phase_seconds = 0, last_error = null
  where s.id = v_synced_table_id
  returning s.* into v_synced;
  perform braid_store.write_note_function(v_synced, define_sync.relation);
  execute format('revoke all on function braid_store.note_rows_%s() from public', v_synced_table_id);
  execute format('comment on function braid_store.note_rows_%s() is %L', v_synced_table_id,
                 'Notes which rows of a synced table a statement changed.');
  -- The owner needs the right to create the triggers.
  execute format('grant execute on function braid_store.note_rows_%s() to %I', v_synced_table_id, v_owner);
  return v_synced_table_id;
end
$$;

comment on function braid_store.define_sync(regclass, jsonb, text, text, text, text) is
  'Record how the rows of a table become documents, and create the function that its triggers call. Return the id of '
  'the definition.';
