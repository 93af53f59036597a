create or replace function braid_store.give_access(
  tenant_id int,
  collection braid_store.collections,
  document_ids bigint[],
  external_ids text[],
  accesses jsonb[]
)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
#variable_conflict use_column
declare
  v_given record;
  v_principals text[];
  v_lists jsonb;
begin
  for v_given in
    select u.external_id, u.access
    from unnest(give_access.external_ids, give_access.accesses) u (external_id, access)
    where jsonb_typeof(u.access) = 'array'
  loop
    if (collection.parts -> 'permissions')::boolean is not true then
      raise exception 'document "%" has access, and collection "%" has no permissions',
                      left(v_given.external_id, 100), collection.name
        using errcode = '22023',
              hint = 'Have an administrator call braid.set_permissions, or leave access out.';
    end if;
    perform braid_store.check_access(v_given.access, format('access of document "%s"', left(v_given.external_id, 100)));
    v_principals := coalesce(v_principals, braid_store.session_principals(), '{}');
    if v_principals <> '{*}'::text[] and not v_principals && braid_store.listed_principals(v_given.access) then
      raise exception 'access of document "%" names none of this session''s principals',
                      left(v_given.external_id, 100)
        using errcode = '42501',
              hint = 'A session that does not read all documents writes only what it can read: add one of '
                     'braid.current_principals().';
    end if;
  end loop;

  -- The policy of the update looks the lists up as they were before its statement.
  v_lists := braid_store.store_access_lists(give_access.tenant_id, (
    select coalesce(jsonb_agg(a), '[]') from unnest(give_access.accesses) a where jsonb_typeof(a) = 'array'));
  update braid_store.documents d
  set access_list_id = l.access_list_id
  from unnest(give_access.document_ids, give_access.accesses) u (document_id, access)
  left join (
    select e.value -> 0 as access, (e.value -> 1)::bigint as access_list_id from jsonb_array_elements(v_lists) e
  ) l on l.access = u.access
  where d.tenant_id = give_access.tenant_id and d.id = u.document_id
    and d.access_list_id is distinct from l.access_list_id;
end
$$;

comment on function braid_store.give_access(int, braid_store.collections, bigint[], text[], jsonb[]) is
  'Give documents the list of their access; null opens a document to everyone in the tenant. The caller gives the '
  'chunks the same list. Raise 22023 for access that cannot be stored, 42501 for access that does not let the session '
  'itself read. external_ids: what messages call the documents.';
