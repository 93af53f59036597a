create or replace function braid_store.store_access_lists(tenant_id int, accesses jsonb)
returns jsonb
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
#variable_conflict use_column
declare
  v_found record;
begin
  loop
    with inserted as (
      insert into braid_store.access_lists as l (tenant_id, principals, principals_hash)
      select store_access_lists.tenant_id, g.principals, g.hash
      from (
        select distinct on (h.hash) p.principals, h.hash
        from jsonb_array_elements(store_access_lists.accesses) a,
             lateral (select braid_store.listed_principals(a.value) as principals offset 0) p,
             lateral (select sha256(convert_to(to_json(p.principals)::text, 'UTF8')) as hash offset 0) h
        -- Batches with common lists wait for each other in this order, and never deadlock.
        order by h.hash
      ) g
      -- A conflict takes a number from the sequence, so lists that are there already are left out.
      where not exists (select from braid_store.access_lists l
                        where l.tenant_id = store_access_lists.tenant_id and l.principals_hash = g.hash)
      order by g.hash
      on conflict (tenant_id, principals_hash) do nothing
      returning l.id, l.principals
    )
    insert into braid_store.access_list_principals (tenant_id, principal, access_list_id)
    select store_access_lists.tenant_id, p, i.id from inserted i, unnest(i.principals) p;

    -- A new statement also sees lists that another transaction has committed meanwhile. The lock keeps lists from being
    -- deleted before the documents that have them are committed.
    select coalesce(jsonb_agg(jsonb_build_array(a.access, l.id)), '[]') as lists,
           count(*) = (select count(distinct a.value) from jsonb_array_elements(store_access_lists.accesses) a)
             as are_all
    into v_found
    from (
      select a.access, sha256(convert_to(to_json(braid_store.listed_principals(a.access))::text, 'UTF8')) as hash
      from (select distinct a.value as access from jsonb_array_elements(store_access_lists.accesses) a) a
      order by hash
      offset 0
    ) a,
    lateral (
      select l.id from braid_store.access_lists l
      where l.tenant_id = store_access_lists.tenant_id and l.principals_hash = a.hash
      for key share
      offset 0
    ) l;
    if v_found.are_all then
      return v_found.lists;
    end if;
  end loop;
end
$$;

comment on function braid_store.store_access_lists(int, jsonb) is
  'Return an array of each array of principals in accesses with the id of its list, after storing the lists that are '
  'not there yet. Until the transaction ends, reap_access_lists leaves them.';
