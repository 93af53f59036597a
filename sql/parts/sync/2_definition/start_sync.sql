-- role: administrator
create or replace function braid_store.start_sync(
  table_name text,
  fields jsonb,
  collection text,
  tenant text,
  mode text,
  on_error text
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set lock_timeout = '3s'
as $$
declare
  v_relation regclass;
  v_fields jsonb;
  v_is_partitioned boolean;
  v_synced_table_id int;
  v_trigger record;
begin
  if start_sync.mode is null or start_sync.mode not in ('deferred', 'immediate') then
    raise exception 'mode is %', coalesce('''' || left(start_sync.mode, 100) || '''', 'null')
      using errcode = '22023',
            hint = 'Use ''deferred'' (braid.apply_changes applies changes) or ''immediate'' (the trigger applies '
                   'changes if it can).';
  elsif start_sync.on_error is null or start_sync.on_error not in ('keep', 'fail') then
    raise exception 'on_error is %', coalesce('''' || left(start_sync.on_error, 100) || '''', 'null')
      using errcode = '22023',
            hint = 'Use ''keep'' (a statement on the table never fails because of pgbraid) or ''fail''.';
  elsif (start_sync.tenant is null) = (start_sync.fields -> 'tenant_column' = 'null') then
    raise exception 'tenant is %, tenant_column is %', coalesce('"' || left(start_sync.tenant, 255) || '"', 'null'),
                    coalesce(start_sync.fields ->> 'tenant_column', 'null')
      using errcode = '22023',
            hint = 'Give one of them: the tenant of all rows, or the column with the key of each row''s tenant.';
  end if;
  v_relation := braid_store.named_relation(start_sync.table_name);
  if v_relation is null then
    raise exception 'table_name is %, and there is no such table',
                    coalesce('"' || left(start_sync.table_name, 255) || '"', 'null')
      using errcode = '42704', hint = 'Name it with its schema, such as ''public.articles''.';
  end if;
  if not pg_has_role((select c.relowner from pg_class c where c.oid = v_relation), 'USAGE') then
    raise exception 'table "%" belongs to "%"', v_relation, (
                      select pg_get_userbyid(c.relowner) from pg_class c where c.oid = v_relation)
      using errcode = '42501', hint = 'Log in as its owner, or as a member of that role.';
  end if;

  select coalesce(jsonb_object_agg(f.key, case jsonb_typeof(f.value) when 'array' then f.value
    else jsonb_build_array(f.value) end), '{}')
  into v_fields
  from jsonb_each(start_sync.fields) f
  where f.value not in ('null', '[]');
  if not v_fields ? 'id' then
    v_fields := v_fields || jsonb_build_object('id', (
      select coalesce(jsonb_agg(a.attname order by k.place), '[]')
      from pg_index i, unnest(i.indkey::int2[]) with ordinality k (attnum, place), pg_attribute a
      where i.indrelid = v_relation and i.indisprimary and a.attrelid = v_relation and a.attnum = k.attnum
        and k.place <= i.indnkeyatts));
  end if;
  if not v_fields ?| '{content,title,turns}' then
    raise exception 'content and title are null'
      using errcode = '22023', hint = 'Name the columns whose text is to be searched as content: ''{body}''.';
  elsif v_fields ?& '{content,turns}' then
    raise exception 'content and turns are both given'
      using errcode = '22023', hint = 'Name the column of a transcript as turns alone.';
  end if;

  begin
    -- The lock keeps rows from changing between the first look at the table and the first trigger.
    execute format('lock table %s in share row exclusive mode', braid_store.synced_source(v_relation));
  exception when lock_not_available then
    raise exception 'table "%" is locked', v_relation
      using errcode = '55P03', hint = 'Another transaction writes to the table. Call again when that transaction '
                                      'has ended.';
  end;
  begin
    v_synced_table_id := braid_store.define_sync(v_relation, v_fields, start_sync.collection, start_sync.tenant,
                                                 start_sync.mode, start_sync.on_error);
  exception when lock_not_available then
    raise exception 'another session applies changes of table "%"', v_relation
      using errcode = '55P03', hint = 'Call again when braid.apply_changes has ended in that session.';
  end;
  v_is_partitioned := (select c.relkind = 'p' from pg_class c where c.oid = v_relation);
  for v_trigger in
    select *
    from (values
      ('insert', 'insert', 'referencing new table as new_rows for each statement', 'enable'),
      ('update', 'update', 'referencing old table as old_rows new table as new_rows for each statement', 'enable'),
      ('delete', 'delete', 'referencing old table as old_rows for each statement', 'enable'),
      -- Statement triggers do not fire when logical replication applies rows. On a partitioned table they also miss
      -- changes made to a partition by its own name. PostgreSQL copies row triggers to each partition.
      ('row', 'insert or update or delete', 'for each row', case when v_is_partitioned then 'enable always'
        else 'enable replica' end),
      ('truncate', 'truncate', 'for each statement', 'enable always')) t (name, event, level, firing)
    where not v_is_partitioned or t.name in ('row', 'truncate')
  loop
    execute format('create or replace trigger braid_note_%s after %s on %s %s execute function '
      'braid_store.note_rows_%s()',
                   v_trigger.name, v_trigger.event, v_relation, v_trigger.level, v_synced_table_id);
    execute format('alter table %s %s trigger braid_note_%s', v_relation, v_trigger.firing, v_trigger.name);
  end loop;
  if start_sync.mode = 'immediate' then
    execute format('create or replace trigger braid_note_before before insert or update or delete on %s for each '
      'statement '
                   'execute function braid_store.note_rows_%s()', v_relation, v_synced_table_id);
  elsif exists (select from pg_trigger t where t.tgrelid = v_relation and t.tgname = 'braid_note_before') then
    execute format('drop trigger braid_note_before on %s', v_relation);
  end if;
end
$$;

comment on function braid_store.start_sync(text, jsonb, text, text, text, text) is
  'Do the work of braid.sync_table, with the caller''s rights on the table.';
