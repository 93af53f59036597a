create or replace function braid_store.choose_fusion(inout collection braid_store.collections, fusion text)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- A leg with the weight 0 stays out.
  if not braid_store.keeps_weights(choose_fusion.collection.fusion, choose_fusion.fusion) then
    collection.full_text_weight := case when choose_fusion.collection.full_text_weight = 0 then 0
                                        else braid_store.default_weight(choose_fusion.fusion, 'full_text') end;
    collection.semantic_weight := case when choose_fusion.collection.semantic_weight = 0 then 0
                                       else braid_store.default_weight(choose_fusion.fusion, 'semantic') end;
    collection.sparse_weight := case when choose_fusion.collection.sparse_weight = 0 then 0
                                     else braid_store.default_weight(choose_fusion.fusion, 'sparse') end;
  end if;
  collection.fusion := choose_fusion.fusion;
end
$$;

comment on function braid_store.choose_fusion(braid_store.collections, text) is
  'Return a collection with another fusion. Weights suit their fusion: convex and dbsf divide them by their sum, rrf '
  'and max do not. So a fusion of the other kind resets the weights to its defaults.';
