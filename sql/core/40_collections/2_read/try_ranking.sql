create or replace function braid_store.try_ranking(inout collection braid_store.collections, ranking jsonb)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_encoder text := collection.parts ->> 'sparse_encoder';
begin
  collection := braid_store.rank_as(collection, try_ranking.ranking);
  if collection.parts ->> 'sparse_encoder' <> coalesce(v_encoder, '')
     and not exists (select from braid_store.sparse_encoders e where e.name = collection.parts ->> 'sparse_encoder') then
    raise exception 'sparse encoder "%" does not exist', collection.parts ->> 'sparse_encoder'
      using errcode = '42704', hint = 'Have an administrator store it with braid.set_sparse_encoder.';
  end if;
end
$$;

comment on function braid_store.try_ranking(braid_store.collections, jsonb) is
  'Returns a collection as it would be after apply_ranking, for one search. Raises 22023 for what is no ranking, and 42704 if it '
  'names a sparse encoder that is not there.';
