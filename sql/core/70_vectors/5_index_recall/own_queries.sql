create or replace function braid_store.own_queries(
  tenant_id int,
  collection_id int,
  vector_space_id int,
  query_count int,
  out queries @vector@.vector[],
  out counts jsonb
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  with found as (
    select e.source, e.embedding, row_number() over (order by s.value, e.ordinality) as place
    from braid_store.extend_own_queries(
           own_queries.tenant_id, own_queries.collection_id, own_queries.vector_space_id, own_queries.query_count)
         with ordinality e
    join (select s.* from braid_store.parts p, jsonb_each(p.manifest -> 'own_queries') s) s on s.key = e.source
    order by place
    limit own_queries.query_count
  )
  select coalesce(array_agg(f.embedding order by f.place), '{}'),
         (select coalesce(jsonb_object_agg(g.source, g.count), '{}')
          from (select c.source, count(*) as count from found c group by c.source) g)
  into queries, counts
  from found f;
end
$$;

comment on function braid_store.own_queries(int, int, int, int) is
  'Return vectors of a tenant''s queries that parts have, at most query_count, in the order of the sources that '
  'their manifests list. counts: the number of queries of each source.';
