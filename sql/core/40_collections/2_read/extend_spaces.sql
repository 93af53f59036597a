create or replace function braid_store.extend_spaces(collection_id int)
returns table (vector_space_id int, vector_storage text, is_new boolean, is_paused boolean, since timestamptz)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return;
end
$$;

comment on function braid_store.extend_spaces(int) is
  'Extension point: return the vector spaces between which a part moves a collection: the searches'' space and '
  'another one, to which new vectors are written as well. No rows mean that the collection has only its own space. '
  'is_new: whether the collection moves to this space. is_paused: whether no embeddings are made for it. since: when '
  'vectors of all chunks were first requested for it.';
