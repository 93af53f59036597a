create or replace function braid_store.extend_spaces_model_change(collection_id int)
returns table (vector_space_id int, vector_storage text, is_new boolean, is_paused boolean, since timestamptz)
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select m.from_space_id, m.from_storage, false, false, null::timestamptz
  from braid_store.model_changes m
  where m.collection_id = extend_spaces_model_change.collection_id
  union all
  select m.to_space_id, m.to_storage, true, m.state = 'paused', m.started_at
  from braid_store.model_changes m
  where m.collection_id = extend_spaces_model_change.collection_id;
end
$$;

comment on function braid_store.extend_spaces_model_change(int) is
  'Return the vector spaces of a collection''s model change, the old one first.';
