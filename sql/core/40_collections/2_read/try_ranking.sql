create or replace function braid_store.try_ranking(inout collection braid_store.collections, ranking jsonb)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_parts jsonb := collection.parts;
begin
  collection := braid_store.rank_as(collection, try_ranking.ranking);
  if collection.parts <> v_parts or v_parts is null and collection.parts is not null then
    perform braid_store.extend_tried_ranking(collection, v_parts);
  end if;
end
$$;

comment on function braid_store.try_ranking(braid_store.collections, jsonb) is
  'Return a collection as set_ranking would leave it, for one search. Raise 22023 for a wrong ranking, and 42704 if '
  'a setting of a part names an object that does not exist.';
