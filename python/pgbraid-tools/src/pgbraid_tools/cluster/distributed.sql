-- A node of a distributed installation has these objects besides the usual functions. The schema braid_shards has the
-- tables that Citus distributes, and lists which shards of tenants' tables this node serves.
create table if not exists braid_shards.node_shards (
    remainder int primary key,
    shard_id bigint not null,
    is_served boolean not null,
    -- The shard of documents that is a partition here. If Citus has brought it back since, it is another table.
    attached oid
);

-- Citus divides the hash of a tenant's id into equal ranges.
create or replace function braid_shards.shard_number(tenant_id int)
returns int
language plpgsql
immutable
parallel safe
strict
set search_path = pg_catalog, pg_temp
as $$
begin
  return least((hashint4(tenant_id)::bigint + 2147483648) / {{width}}, {{last}})::int;
end
$$;

-- PostgreSQL adds 0x49a0f4dd15e5a8e3 to the hash of a single key (hash_combine64) before it takes the remainder. So the
-- remainder is the number of Citus' shard, and shards can be partitions.
create or replace function braid_shards.shard_hash(tenant_id int, seed bigint)
returns bigint
language plpgsql
immutable
parallel safe
strict
as $$
begin
  return least((hashint4(tenant_id)::bigint + 2147483648) / {{width}}, {{last}}) - 5305509591434766563;
end
$$;

do $$
begin
  if not exists (select from pg_catalog.pg_opclass o
                 where o.opcname = 'shard_ops' and o.opcnamespace = 'braid_shards'::regnamespace) then
    create operator class braid_shards.shard_ops for type int4 using hash as
      operator 1 pg_catalog.= (int4, int4),
      function 1 pg_catalog.hashint4(int4),
      function 2 braid_shards.shard_hash(int4, int8);
  end if;
end
$$;

create or replace function braid_shards.here(tenant_id int)
returns int
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_shard braid_shards.node_shards;
  v_group int;
  v_host text;
  v_port int;
begin
  if tenant_id is null then
    return null;
  end if;
  select s.* into v_shard from braid_shards.node_shards s where s.remainder = braid_shards.shard_number(here.tenant_id);
  -- pg_inherits would not do: under a transaction snapshot it shows the state at the transaction's beginning.
  if v_shard.is_served and pg_partition_root(v_shard.attached) is not null then
    if exists (select from pg_dist_placement p
               where p.shardid = v_shard.shard_id and p.groupid = (select l.groupid from pg_dist_local_group l)) then
      return tenant_id;
    end if;
  end if;
  -- Citus leaves its own tables out of dumps.
  if to_regclass('pg_dist_node') is not null then
    select n.groupid, n.nodename, n.nodeport into v_group, v_host, v_port
    from pg_dist_placement p
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    where p.shardid = v_shard.shard_id;
  end if;
  if v_group is null then
    raise exception 'this database is a copy of a cluster''s node, and no node of a cluster'
      using errcode = '55000',
            hint = 'A copy of the coordinator becomes a database of its own by: pgbraid distribute --gather';
  end if;
  if v_group = (select l.groupid from pg_dist_local_group l) then
    raise exception 'tenant "%" is being moved to this node',
                    (select t.key from braid_store.tenants t where t.id = here.tenant_id)
      using errcode = '55000', detail = '{"retry": true}',
            hint = 'Try again; if it lasts, run: pgbraid distribute';
  end if;
  raise exception 'tenant "%" lives on another node, %:%',
                  (select t.key from braid_store.tenants t where t.id = here.tenant_id), v_host, v_port
    using errcode = '55000', detail = jsonb_build_object('host', v_host, 'port', v_port)::text,
          hint = format('Connect to host=%s port=%s.', v_host, v_port);
end
$$;

comment on function braid_shards.here(int) is
  'Return the tenant''s id if this node has its rows; else raise 55000 and name the node that has them.';

create or replace function braid_calls.tenant_here()
returns int
language plpgsql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_requested text := nullif(current_setting('braid.tenant', true), '');
  v_tenant_id int;
begin
  -- session_tenant_id() returns what this function does, and every policy calls it. So its shortcut and the question of
  -- here() are one statement.
  if v_requested is not null
     and not has_function_privilege(session_user, 'braid_store.gateway_mark()'::regprocedure, 'execute') then
    select t.id into v_tenant_id
    from braid_store.tenants t,
         lateral (
           select from braid_store.tenant_members m where m.tenant_id = t.id and m.member = session_user::text
           offset 0
         ) m,
         lateral (
           select s.shard_id, s.attached from braid_shards.node_shards s
           where s.remainder = least((hashint4(t.id)::bigint + 2147483648) / {{width}}, {{last}})::int and s.is_served
           offset 0
         ) s,
         lateral (
           select from pg_dist_placement p where p.shardid = s.shard_id and p.groupid = {{group}}
           offset 0
         ) p
    where t.key = v_requested and pg_partition_root(s.attached) is not null;
    if found then
      return v_tenant_id;
    end if;
  end if;
  v_tenant_id := braid_store.tenant_id_by_trust();
  perform
  from braid_shards.node_shards s
  where s.remainder = least((hashint4(v_tenant_id)::bigint + 2147483648) / {{width}}, {{last}})::int
    and s.is_served
    and exists (select from pg_dist_placement p where p.shardid = s.shard_id and p.groupid = {{group}} offset 0)
    and pg_partition_root(s.attached) is not null;
  if found or v_tenant_id is null then
    return v_tenant_id;
  end if;
  return braid_shards.here(v_tenant_id);
end
$$;

comment on function braid_calls.tenant_here() is
  'Return the tenant that the session acts for, as tenant_id_by_trust does, if this node has its rows; else raise '
  '55000 and name the node that has them. The function takes no id, because its message has the tenant''s key.';

create or replace function braid_store.hold_shard(tenant_id int)
returns int
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Citus takes this lock exclusively while it moves a shard.
  perform lock_shard_metadata(5, array[s.shard_id])
  from braid_shards.node_shards s
  where s.remainder = braid_shards.shard_number(hold_shard.tenant_id);
  if current_setting('transaction_isolation') <> 'read committed' then
    -- A snapshot from before a move would still show the shard here. In that case this raises serialization_failure.
    perform
    from braid_shards.node_shards s
    join pg_dist_placement p on p.shardid = s.shard_id
    where s.remainder = braid_shards.shard_number(hold_shard.tenant_id)
    for share;
  end if;
  return braid_shards.here(tenant_id);
end
$$;

comment on function braid_store.hold_shard(int) is
  'Keep the tenant''s rows on this node until the transaction ends, and return its id. Raise as tenant_here does. '
  'Definer functions call it.';

create or replace function braid_shards.refuse()
returns trigger
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'this node is a worker: % are changed at the coordinator', replace(tg_table_name, '_', ' ')
    using errcode = '55000',
          detail = coalesce((select jsonb_build_object('host', n.nodename, 'port', n.nodeport, 'definitions', true)
                             from pg_dist_node n where n.groupid = 0 limit 1)::text, ''),
          hint = coalesce((select format('Connect to host=%s port=%s.', n.nodename, n.nodeport)
                           from pg_dist_node n where n.groupid = 0 limit 1),
                             'Connect to the coordinator of the cluster.');
end
$$;

create or replace function braid_shards.copy_definitions()
returns trigger
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
-- The role 'replica' keeps refuse() from seeing these changes.
set session_replication_role = 'replica'
as $$
declare
  v_table text := tg_argv[0];
begin
  if tg_op in ('UPDATE', 'DELETE') then
    execute (
      select format('delete from braid_store.%I t where %s', v_table,
                    string_agg(format('t.%1$I = ($1).%1$I', a.attname), ' and '))
      from pg_index i
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
      where i.indrelid = tg_relid and i.indisprimary)
    using old;
  end if;
  if tg_op in ('INSERT', 'UPDATE') then
    execute format('insert into braid_store.%I overriding system value select ($1).*', v_table) using new;
  end if;
  return null;
end
$$;

comment on function braid_shards.copy_definitions() is
  'Bring a change of a reference table''s copy on this worker into the table of braid_store that searches read.';

-- The last folder of sql/ gives all functions of braid_store to the definer.
do $$
declare
  v_function regprocedure;
begin
  foreach v_function in array '{braid_calls.tenant_here(),braid_store.hold_shard(int)}'::regprocedure[]
  loop
    execute format('alter function %s owner to current_user', v_function);
  end loop;
end
$$;

-- This table lists the coordinator's hand-overs that this node has processed.
create table if not exists braid_shards.taken_over (id bigint primary key);

create or replace function braid_shards.take_over()
returns void
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_id bigint;
  v_kind text;
  v_object_id int;
begin
  if (select l.groupid from pg_dist_local_group l) = 0 then
    return; -- This database is the coordinator, which hands over.
  end if;
  for v_id, v_kind, v_object_id in
    select h.id, h.kind, h.object_id
    from braid_shards.handed_over h
    where not exists (select from braid_shards.taken_over t where t.id = h.id)
    order by h.id
  loop
    begin
      insert into braid_shards.taken_over (id) values (v_id);
      if v_kind = 'dropped_tenants' then
        insert into braid_store.dropped_tenants (id, dropped_by) values (v_object_id, pg_current_xact_id())
        on conflict do nothing;
        update braid_store.vector_shards s
        set state = 'retired', retired_by = pg_current_xact_id()
        where s.tenant_id = v_object_id and s.state <> 'retired';
      elsif v_kind = 'dropped_collections' then
        -- Wait for sessions that found the collection before it was dropped.
        execute format('lock table %s in exclusive mode', braid_store.collection_lock(v_object_id));
        insert into braid_store.dropped_collections (id) values (v_object_id) on conflict do nothing;
      else
        insert into braid_store.due_collections (collection_id) values (v_object_id);
      end if;
    exception when lock_not_available or unique_violation then
      null; -- Another session has it, or the next run gets it.
    end;
  end loop;
end
$$;

comment on function braid_shards.take_over() is
  'Note on this node what the coordinator has handed over: dropped tenants and collections, and collections whose '
  'parts need a visit.';

create or replace function braid_shards.refuse_feature()
returns trigger
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_table_name = 'model_changes' then
    raise exception 'the model of a collection cannot be changed in a distributed installation'
      using errcode = '0A000',
            hint = 'Create a collection with the new model, write the documents into it, and drop the old one.';
  end if;
  raise exception 'tables cannot be synced in a distributed installation'
    using errcode = '0A000', hint = 'Write the rows with braid.upsert_documents, on the nodes of their tenants.';
end
$$;

-- Create each trigger only if its part is installed.
do $$
begin
  if to_regclass('braid_store.synced_tables') is not null then
    create or replace trigger refuse_feature before insert on braid_store.synced_tables for each row
      execute function braid_shards.refuse_feature();
  end if;
  if to_regclass('braid_store.model_changes') is not null and (select l.groupid from pg_dist_local_group l) = 0 then
    create or replace trigger refuse_feature before insert on braid_store.model_changes for each row
      execute function braid_shards.refuse_feature();
  end if;
end
$$;

-- This trigger is on a worker's copy of trusted_roles: a trust given or ended at the coordinator changes the role's
-- rights here in the same transaction.
create or replace function braid_shards.follow_trust()
returns trigger
language plpgsql
volatile
security definer
set search_path = pg_catalog, pg_temp
set citus.enable_ddl_propagation = off
as $$
begin
  perform braid_store.grant_to_trusted_role(coalesce(new.role, old.role));
  return null;
end
$$;

grant usage on schema braid_shards to {{owner}};
revoke all on all functions in schema braid_shards from public;
grant execute on function braid_shards.take_over(), braid_shards.here(int), braid_shards.shard_number(int) to {{owner}};
revoke all on function braid_calls.tenant_here(), braid_store.hold_shard(int) from public;
grant execute on function braid_calls.tenant_here() to braid_reader, {{owner}}, {{definer}};
-- With this function, readers could pin other tenants' shards to their node.
grant execute on function braid_store.hold_shard(int) to {{owner}}, {{definer}};
