create or replace function braid_store.other_collections(tenant_id int, collection_id int)
returns text[]
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
set enable_seqscan = off
set enable_bitmapscan = off
as $$
#variable_conflict use_column
declare
  c_most constant int := 5;
  c_most_looked_at constant int := 100;
begin
  if exists (select from braid_store.chunks c
             where c.tenant_id = other_collections.tenant_id and c.collection_id = other_collections.collection_id) then
    return '{}';
  end if;
  return array(
    with recursive part (id, place) as (
      (select s.collection_id, 1 from braid_store.segments s
       where s.tenant_id = other_collections.tenant_id and s.collection_id > 0 order by s.collection_id limit 1)
      union all
      select n.collection_id, p.place + 1
      from part p,
           lateral (
             select s.collection_id from braid_store.segments s
             where s.tenant_id = other_collections.tenant_id and s.collection_id > p.id
             order by s.collection_id
             limit 1
           ) n
      where p.place < c_most_looked_at
    )
    select k.name
    from part p
    join braid_store.collections k on k.id = p.id
    where exists (select from braid_store.chunks c where c.tenant_id = other_collections.tenant_id
      and c.collection_id = p.id offset 0)
    order by k.name collate "C"
    limit c_most);
end
$$;

comment on function braid_store.other_collections(int, int) is
  'Return the names of up to five collections in which a tenant has documents, if the given one has none. Otherwise '
  'return an empty array.';
