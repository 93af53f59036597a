-- This runs on the coordinator after each upgrade: a change in a table of definitions also changes the reference table
-- of the same name.
create or replace function braid_shards.mirror()
returns trigger
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
-- Values go to nodes as text, and nodes read them under other settings.
set datestyle = 'ISO'
set intervalstyle = 'postgres'
set extra_float_digits = 1
set bytea_output = 'hex'
as $$
declare
  v_row jsonb;
  v_columns text;
  v_values text;
begin
  if tg_op in ('UPDATE', 'DELETE') then
    v_row := to_jsonb(old);
    execute (
      select format('delete from braid_shards.%I t where %s', tg_table_name,
                    string_agg(format('t.%I = %L', a.attname, v_row ->> a.attname::text), ' and '))
      from pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
      where i.indrelid = tg_relid and i.indisprimary);
  end if;
  if tg_op in ('INSERT', 'UPDATE') then
    for v_columns in
      select string_agg(format('($1).%I::text', a.attname), ', ' order by a.attnum)
      from pg_attribute a
      where a.attrelid = tg_relid and a.attnum > 0 and not a.attisdropped
    loop
      execute format('select string_agg(quote_nullable(v), '', '' order by n) from unnest(array[%s]) with ordinality '
        'u (v, n)',
                     v_columns)
      into v_values
      using new;
    end loop;
    execute (
      select format('insert into braid_shards.%I (%s) values (%s)', tg_table_name,
                    string_agg(quote_ident(a.attname), ', ' order by a.attnum), v_values)
      from pg_attribute a
      where a.attrelid = tg_relid and a.attnum > 0 and not a.attisdropped);
  end if;
  return null;
end
$$;

-- Nodes process these changes of definitions in their own time: drops, and parts to visit. Each node takes rows over
-- when its maintain() begins (take_over).
create sequence if not exists braid_shards.handed_over_ids;
create table if not exists braid_shards.handed_over (
    id bigint primary key,
    kind text not null check (kind in ('dropped_tenants', 'dropped_collections', 'due_collections')),
    -- object_id is the id of the tenant or the collection.
    object_id int not null
);
do $$
begin
  if not exists (select from pg_dist_partition p where p.logicalrelid = 'braid_shards.handed_over'::regclass) then
    perform set_config('citus.enable_ddl_propagation', 'on', true);
    perform create_reference_table('braid_shards.handed_over');
    perform set_config('citus.enable_ddl_propagation', 'off', true);
  end if;
end
$$;

create or replace function braid_shards.hand_over()
returns trigger
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_id bigint := nextval('braid_shards.handed_over_ids');
  v_object_id int := (to_jsonb(new) ->> case tg_table_name when 'due_collections' then 'collection_id'
    else 'id' end)::int;
begin
  insert into braid_shards.handed_over (id, kind, object_id) values (v_id, tg_table_name, v_object_id);
  return null;
end
$$;

create or replace trigger hand_over after insert on braid_store.dropped_tenants for each row
  execute function braid_shards.hand_over();
create or replace trigger hand_over after insert on braid_store.dropped_collections for each row
  execute function braid_shards.hand_over();
create or replace trigger hand_over after insert on braid_store.due_collections for each row
  execute function braid_shards.hand_over();

create or replace function braid_shards.refuse_truncate()
returns trigger
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception '% cannot be truncated in a distributed installation', tg_table_name
    using errcode = '0A000', hint = 'Nodes would keep their copies: delete the rows instead.';
end
$$;

create or replace function braid_shards.refuse_create_tenants()
returns trigger
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'a first write creates no tenant in a distributed installation'
    using errcode = '0A000', hint = 'Leave create_tenants false, and create tenants by braid.create_tenant.';
end
$$;

create or replace trigger refuse_create_tenants before insert or update on braid_store.access_settings for each row
  when (new.create_tenants) execute function braid_shards.refuse_create_tenants();

-- The coordinator serves no tenant's rows: rows that a dump or COPY inserted here would never be read.
create or replace function braid_shards.refuse_rows()
returns trigger
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'this node is the coordinator: tenants'' rows are on workers'
    using errcode = '0A000',
      hint = 'Import on the tenant''s node, or gather the tenants first: pgbraid distribute --gather';
end
$$;

do $$
declare
  v_table text;
begin
  foreach v_table in array '{{definitions}}'::text[]
  loop
    execute format('create or replace trigger mirror after insert or update or delete on braid_store.%I for each row'
                   ' execute function braid_shards.mirror()', v_table);
    execute format('create or replace trigger refuse_truncate before truncate on braid_store.%I'
                   ' execute function braid_shards.refuse_truncate()', v_table);
  end loop;
  foreach v_table in array '{{of_tenants}}'::text[]
  loop
    execute format('create or replace trigger refuse_rows before insert on braid_store.%I for each row'
                   ' execute function braid_shards.refuse_rows()', v_table);
  end loop;
end
$$;

create or replace trigger mirror after insert on braid_locks.tenant_locks for each row
  execute function braid_shards.mirror();

revoke all on all functions in schema braid_shards from public;
