create or replace function braid_store.query_json(query braid_store.queries)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
as $$
  select jsonb_build_object(
    'query_set', query_json.query.query_set, 'query_id', query_json.query.query_id, 'text', query_json.query.query_text,
    'filters', query_json.query.filters, 'updated_at', query_json.query.updated_at,
    'embeddings',
    (select coalesce(jsonb_agg(jsonb_build_object(
              'embedding_model', s.embedding_model, 'dimensions', s.dimensions, 'distance', s.distance,
              'embedding', e.embedding::text::jsonb) order by s.embedding_model, s.dimensions, s.distance), '[]')
     from braid_store.query_set_embeddings e
     join braid_store.vector_spaces s on s.id = e.vector_space_id
     where e.tenant_id = query_json.query.tenant_id and e.query_set = query_json.query.query_set
       and e.query_id = query_json.query.query_id),
    'judgments',
    (select coalesce(jsonb_agg(jsonb_build_object(
              'external_id', j.external_id, 'chunk_index', nullif(j.chunk_index, -1), 'judge', j.judge, 'grade',
                j.grade,
              'updated_at', j.updated_at) order by j.external_id, j.chunk_index, j.judge), '[]')
     from braid_store.judgments j
     where j.tenant_id = query_json.query.tenant_id and j.query_set = query_json.query.query_set
       and j.query_id = query_json.query.query_id));
$$;

comment on function braid_store.query_json(braid_store.queries) is
  'Return a query of a query set as JSON, with its judgments and its embeddings by the name of their model.';
