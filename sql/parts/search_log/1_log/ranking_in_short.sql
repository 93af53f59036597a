create or replace function braid_store.ranking_in_short(collection braid_store.collections)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return concat_ws(
    ' ', collection.fusion, collection.full_text_weight || '/' || collection.semantic_weight,
    case collection.fusion when 'rrf' then 'rrf_k=' || collection.rrf_k when 'dbsf' then null
      else collection.normalisation end,
    'k1=' || collection.k1, 'b=' || collection.b, 'title=' || collection.title_weight,
    case when collection.bm25_variant <> 'lucene' then collection.bm25_variant end,
    'neighbours=' || nullif(collection.neighbour_weight, 0), 'document=' || nullif(collection.document_weight, 0),
    'questions=-' || nullif(collection.question_penalty, 0),
    'speaker=' || nullif(collection.speaker_weight, 0), 'names=' || nullif(collection.name_weight, 1.1),
    'smoothing=' || nullif(collection.smoothing, 0),
    'scope=' || nullif(collection.statistics_scope, 'collection'),
    'typos=' || nullif(collection.typos, 'off'),
    case when collection.parts ? 'sparse_encoder' then 'sparse=' || collection.sparse_weight end,
    'ranking_model=' || (collection.parts ->> 'ranking_model'));
end
$$;

comment on function braid_store.ranking_in_short(braid_store.collections) is
  'Return the settings by which a collection ranks as a short text, such as "convex 0.4/0.6 centroid k1=1.2 b=0.75 '
  'title=2".';
