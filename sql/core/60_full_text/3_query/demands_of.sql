create or replace function braid_store.demands_of(tenant_id int, collection_id int, query braid_store.text_query)
returns braid_store.text_query
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_demands braid_store.text_query := braid_store.empty_query();
begin
  v_demands.conditions := query.conditions;
  v_demands := braid_store.choose_driver(demands_of.tenant_id, demands_of.collection_id, v_demands);
  v_demands.posting_count := (
    select sum(p.posting_count)
    from unnest(v_demands.driver_lexemes) l (lexeme),
         lateral (
           select coalesce(sum(p.posting_count), 0) as posting_count from braid_store.postings p
           where p.tenant_id = demands_of.tenant_id and p.collection_id = demands_of.collection_id
             and p.lexeme = l.lexeme
           offset 0
         ) p);
  return v_demands;
end
$$;

comment on function braid_store.demands_of(int, int, braid_store.text_query) is
  'Return a query that keeps the demands (+, - and quotation marks) of a given query, but ranks by nothing: all its '
  'weights are 0, and so are all bounds. posting_count: the number of postings of its driver; null if it has no '
  'driver.';
