create or replace function braid_store.extend_tried_ranking_sparse_encoders(
  collection braid_store.collections,
  old_parts jsonb
)
returns void
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_encoder text := collection.parts ->> 'sparse_encoder';
begin
  if v_encoder <> coalesce(old_parts ->> 'sparse_encoder', '')
     and not exists (select from braid_store.sparse_encoders e where e.name = v_encoder) then
    raise exception 'sparse encoder "%" does not exist', v_encoder
      using errcode = '42704', hint = 'Have an administrator store it with braid.set_sparse_encoder.';
  end if;
end
$$;

comment on function braid_store.extend_tried_ranking_sparse_encoders(braid_store.collections, jsonb) is
  'Raise 42704 if a search is to rank with an unknown sparse encoder.';
