create or replace function braid_store.demand_condition(tenant_id int, query braid_store.text_query)
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select format(
    'exists (select from (select f.lexemes, '' '' || f.lexemes || '' '' as words, f.position_ends, f.positions '
    'from braid_store.forward_rows f where f.tenant_id = %s and f.chunk_id = c.id offset 0) f where %s)',
    demand_condition.tenant_id, braid_store.demand_test((demand_condition.query).conditions));
$$;

comment on function braid_store.demand_condition(int, braid_store.text_query) is
  'Return the demands of a query as an SQL condition on chunks with the alias c, for use in semantic search. The '
  'condition tests one chunk at a time, so only chunks that the search examines are tested.';
