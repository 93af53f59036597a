create or replace function braid_store.extend_check_settings_sparse_encoders(collection braid_store.collections)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_encoder text := collection.parts ->> 'sparse_encoder';
begin
  if v_encoder is not null then
    -- The lock keeps the encoder from being removed before the collection names it.
    perform from braid_store.sparse_encoders e where e.name = v_encoder for key share;
    if not found then
      raise exception 'sparse encoder "%" does not exist', left(v_encoder, 255)
        using errcode = '42704',
          hint = 'Store the encoder with braid.set_sparse_encoder: an export does not contain it.';
    end if;
  end if;
end
$$;

comment on function braid_store.extend_check_settings_sparse_encoders(braid_store.collections) is
  'Raise 42704 if a collection is given an unknown sparse encoder. Keep the encoder from being removed until the '
  'transaction ends.';
