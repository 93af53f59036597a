create or replace view braid.collections
with (security_invoker = true)
as
select c.name, v.embedding_model, v.dimensions, v.distance, c.text_config, c.fold_diacritics, c.k1, c.b, c.title_weight,
       c.chunk_tokens, c.index_fields, c.embed_fields, c.full_text_weight, c.semantic_weight, c.fusion, c.rrf_k,
       c.normalisation, c.created_at, c.vector_storage, c.hnsw_m, c.hnsw_ef_construction,
       (select coalesce(jsonb_object_agg(a.name, a.type), '{}') from braid_store.indexed_attributes a
        where a.collection_id = c.id and a.removed_at is null) as indexed_attributes
from braid_store.collections c
join braid_store.vector_spaces v on v.id = c.vector_space_id;

-- Without a trigger a change of the view is 55000, and PostgREST makes a 500 of it. With one, PostgreSQL asks for the
-- privilege first, which nobody has: 42501, a 403.
create or replace trigger refuse_change
instead of insert or update or delete on braid.collections
for each row execute function braid_store.refuse_view_change('braid.create_collection or braid.set_ranking');

comment on view braid.collections is 'The collections and their settings.';
