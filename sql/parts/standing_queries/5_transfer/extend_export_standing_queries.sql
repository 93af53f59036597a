create or replace function braid_store.extend_export_standing_queries(tenant_id int, kind text)
returns setof jsonb
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
begin
  if kind = 'standing_query' then
    return query
    select jsonb_build_object('standing_query', jsonb_build_object(
      'collection', c.name, 'name', q.name, 'query_text', q.query_text, 'match', q.match, 'filters', q.filters,
      'options', q.options, 'created_at', q.created_at, 'embedding_model', e.embedding_model,
      'dimensions', e.dimensions, 'distance', e.distance, 'embedding', e.embedding::text, 'min_score', e.min_score))
    from braid_store.standing_queries q
    join braid_store.collections c on c.id = q.collection_id
    left join (
      select s.embedding_model, s.dimensions, s.distance, e.*
      from braid_store.standing_query_embeddings e
      join braid_store.vector_spaces s on s.id = e.vector_space_id
      where e.tenant_id = extend_export_standing_queries.tenant_id
    ) e on e.collection_id = q.collection_id and e.query_id = q.id
    where q.tenant_id = extend_export_standing_queries.tenant_id
    order by c.name, q.name;
  elsif kind = 'standing_query_match' then
    return query
    select jsonb_build_object('standing_query_match', jsonb_build_object(
      'collection', c.name, 'name', q.name, 'kind', m.kind, 'external_id', d.external_id, 'chunk_index', k.chunk_index,
      'matched_at', m.matched_at))
    from braid_store.collections c
    cross join lateral unnest(braid_store.visible_matches(extend_export_standing_queries.tenant_id, c.id, array(
      select m.id from braid_store.standing_query_matches m
      where m.tenant_id = extend_export_standing_queries.tenant_id and m.collection_id = c.id))) v (id)
    join braid_store.standing_query_matches m
      on m.tenant_id = extend_export_standing_queries.tenant_id and m.collection_id = c.id and m.id = v.id
    join braid_store.standing_queries q
      on q.tenant_id = m.tenant_id and q.collection_id = m.collection_id and q.id = m.query_id
    join braid_store.chunks k on k.tenant_id = m.tenant_id and k.id = m.chunk_id
    join braid_store.documents d on d.tenant_id = k.tenant_id and d.id = k.document_id
    order by c.name, m.id;
  end if;
end
$$;

comment on function braid_store.extend_export_standing_queries(int, text) is
  'Return a tenant''s standing queries, or their matches that the session may read and nobody has acknowledged.';
