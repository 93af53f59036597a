create or replace function braid_store.collection_definition(collection braid_store.collections)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select to_jsonb(collection_definition.collection) - '{id,vector_space_id,created_at,parts}'::text[]
    || jsonb_build_object(
    'embedding_model', s.embedding_model, 'dimensions', s.dimensions, 'distance', s.distance,
    'indexed_attributes',
    (select coalesce(jsonb_object_agg(a.name, a.type), '{}') from braid_store.indexed_attributes a
     where a.collection_id = collection_definition.collection.id and a.removed_at is null),
    'synonyms',
    (select coalesce(jsonb_object_agg(y.word, y.synonyms), '{}') from braid_store.synonyms y
     where y.collection_id = collection_definition.collection.id))
    || (select coalesce(jsonb_object_agg(n.name, collection_definition.collection.parts -> n.name), '{}')
        from braid_store.parts p, jsonb_array_elements_text(p.manifest -> 'exported_settings') n (name))
  from braid_store.vector_spaces s
  where s.id = collection_definition.collection.vector_space_id;
$$;

comment on function braid_store.collection_definition(braid_store.collections) is
  'Return a collection''s settings, embedding model, indexed attributes and synonyms as JSON: everything that its '
  'search results depend on.';
