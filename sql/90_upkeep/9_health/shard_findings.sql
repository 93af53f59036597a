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
  select 'advice', 'vector_index_old', format('tenant %s, collection %s', shard_findings.tenant, c.name),
         format('The index of %s vectors is as version 0.1 made it.', s.vector_count),
         'One over halfvec has little more than half its size, and searches take about a tenth less. Maintenance makes it beside '
         'this one, as long as the first took.',
         format(E'set braid.tenant = %s;\nselect %s(%s);\npgbraid maintain --seconds 3600',
                braid_calls.line_literal(shard_findings.tenant), 'braid.rebuild_vector_index', braid_calls.line_literal(c.name))
  from braid_store.vector_shards s
  join braid_store.collections c on c.id = s.collection_id and c.vector_space_id = s.vector_space_id
  where s.tenant_id = shard_findings.tenant_id
    and s.state = 'serving' and not s.is_outdated
    -- Those that choose_index_type has seen say what they are over.
    and s.storage = 'vector' and s.index_type is null;
end
$$;

comment on function braid_store.shard_findings(int, text) is
  'Vector indexes of a tenant that would be smaller and faster if they were made anew, as braid.health tells it. tenant: its key.';
