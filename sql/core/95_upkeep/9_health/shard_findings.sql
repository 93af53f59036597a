create or replace function braid_store.shard_findings(tenant_id int, tenant text)
returns table (severity text, code text, subject text, finding text, reason text, command text)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  return query
  select 'problem', 'vector_index_missing', format('tenant %s, collection %s', shard_findings.tenant, c.name),
         format('The index vectors_%s_hnsw is missing or invalid.', s.id),
         'Each semantic search scans all vectors of this tenant. Maintenance builds a new index.',
         format(E'set braid.tenant = %s;\nselect %s(%s);\n', braid_calls.line_literal(shard_findings.tenant),
                'braid.rebuild_vector_index', braid_calls.line_literal(c.name)) || 'pgbraid maintain --seconds 3600'
  from braid_store.vector_shards s
  join braid_store.collections c on c.id = s.collection_id and c.vector_space_id = s.vector_space_id
  where s.tenant_id = shard_findings.tenant_id and s.state = 'serving' and not braid_store.has_hnsw(s.id)
  union all
  select 'problem', 'vector_index_unused', format('tenant %s, collection %s', shard_findings.tenant, c.name),
         format('The index of %s vectors is not used: even with the largest ef_search, its index recall at 10 is %s.',
                s.vector_count, round(s.index_recall::numeric, 3)),
         'Each semantic search scans all vectors of this tenant. An index with a higher hnsw_m may have a better '
         'index recall, but takes more time to build and more space. If at least 30 queries of users are stored or '
         'in query sets, first call measure_index_recall with set_ef_search: for such queries the index may be good '
         'enough.',
         format(E'select %s(%s, ''{"hnsw_m": %s, "hnsw_ef_construction": %s}'');\npgbraid maintain --seconds 3600',
                'braid.set_collection', braid_calls.line_literal(c.name), least(100, 2 * s.hnsw_m),
                least(1000, greatest(2 * s.hnsw_ef_construction, 4 * s.hnsw_m)))
  from braid_store.vector_shards s
  join braid_store.collections c on c.id = s.collection_id and c.vector_space_id = s.vector_space_id
  where s.tenant_id = shard_findings.tenant_id and s.state = 'serving' and s.ef_search is null
    and braid_store.has_hnsw(s.id)
    -- With other settings, another index is being made already.
    and (s.hnsw_m, s.hnsw_ef_construction) = (c.hnsw_m, c.hnsw_ef_construction);
end
$$;

comment on function braid_store.shard_findings(int, text) is
  'Find vector indexes of a tenant that are gone or not good enough, as rows of braid.health. tenant: the key that '
  'names the tenant.';
