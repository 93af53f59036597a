create or replace function braid_store.ranking_to_deploy(collection braid_store.collections, configuration jsonb)
returns jsonb
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_present braid_store.collections := collection;
  v_fusion text := configuration ->> 'fusion';
begin
  -- The order of these steps is the same as in compile_request.
  if configuration #> '{options,ranking}' <> 'null' then
    collection := braid_store.try_ranking(collection, configuration #> '{options,ranking}');
  end if;
  if v_fusion <> collection.fusion then
    collection := braid_store.choose_fusion(collection, v_fusion);
  end if;
  collection.full_text_weight := coalesce((configuration ->> 'full_text_weight')::float8, collection.full_text_weight);
  collection.semantic_weight := coalesce((configuration ->> 'semantic_weight')::float8, collection.semantic_weight);
  collection.rrf_k := coalesce((configuration ->> 'rrf_k')::float8, collection.rrf_k);
  -- set_ranking sets these weights itself with another fusion.
  v_fusion := case when collection.fusion <> v_present.fusion then collection.fusion end;
  if v_fusion is not null then
    v_present := braid_store.choose_fusion(v_present, v_fusion);
  end if;
  return (
    select jsonb_strip_nulls(jsonb_build_object('fusion', v_fusion)) || coalesce(jsonb_object_agg(r.key, r.value), '{}')
    from jsonb_each(braid_store.ranking_of(collection)) r
    where r.value <> braid_store.ranking_of(v_present) -> r.key);
end
$$;

comment on function braid_store.ranking_to_deploy(braid_store.collections, jsonb) is
  'Return the arguments of set_ranking with which searches without arguments rank as this configuration does; an '
  'empty object if they already do.';
