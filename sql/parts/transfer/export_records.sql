-- role: writer
create or replace function braid_calls.export_records(collection text, after text, document_count int)
returns setof jsonb
language sql
stable
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set jit = off
set timezone = 'UTC'
set datestyle = 'ISO'
set bytea_output = 'hex'
set extra_float_digits = 1
as $$
  -- In a select list, a set-returning function gives its rows one by one. So only the ids of documents are gathered in
  -- memory.
  select braid_store.export_page(p.tenant_id, p.collection, p.document_ids)
  from (
    select t.tenant_id, c as collection, b.document_ids
    from (select braid_store.require_tenant_id() as tenant_id offset 0) t
    cross join lateral braid_store.export_batches(t.tenant_id, export_records.collection, export_records.after,
                                                  export_records.document_count) b
    join braid_store.collections c on c.id = b.collection_id
    order by b.number
    offset 0
  ) p
  union all
  -- After the collections, which bring the vector spaces.
  select jsonb_build_object('profile', braid_store.profile_json(p))
  from (select braid_store.require_tenant_id() as tenant_id offset 0) t
  cross join lateral (
    select p.* from braid_store.profiles p
    where p.tenant_id = t.tenant_id and export_records.collection is null
    order by p.name
    offset 0
  ) p
  union all
  select jsonb_build_object('query_set', jsonb_build_object(
           'query_set', s.name, 'level', s.level, 'description', s.description, 'created_at', s.created_at))
  from (select braid_store.require_tenant_id() as tenant_id offset 0) t
  cross join lateral (
    select s.* from braid_store.query_sets s
    where s.tenant_id = t.tenant_id and export_records.collection is null
    order by s.name
    offset 0
  ) s
  union all
  select jsonb_build_object('query', braid_store.query_json(q))
  from (select braid_store.require_tenant_id() as tenant_id offset 0) t
  cross join lateral (
    select q.* from braid_store.queries q
    where q.tenant_id = t.tenant_id and export_records.collection is null
    order by q.query_set, q.query_id
    offset 0
  ) q
  union all
  select jsonb_build_object('ranking_model', jsonb_build_object('name', m.name, 'model', m.model, 'updated_at', m.updated_at))
  from (select braid_store.require_tenant_id() as tenant_id offset 0) t
  cross join lateral (
    select m.* from braid_store.ranking_models m
    where m.tenant_id = t.tenant_id and export_records.collection is null
    order by m.name
    offset 0
  ) m;
$$;

comment on function braid_calls.export_records(text, text, int) is
  'Does the work of braid.export_tenant. Writes numbers and times so that an import reads the same values, whatever the '
  'session''s settings.';
