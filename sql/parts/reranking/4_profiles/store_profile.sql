-- role: writer
create or replace function braid_calls.store_profile(
  profile text,
  embedding @vector@.vector,
  attributes jsonb,
  collection text
)
returns void
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.find_collection(store_profile.collection);
begin
  perform braid_store.check_profile_name(store_profile.profile),
          braid_store.check_profile_attributes(store_profile.attributes, 'attributes');
  if store_profile.embedding is not null then
    perform braid_store.check_embeddings(v_collection, array[store_profile.embedding], 'embedding');
  elsif store_profile.attributes = '{}' then
    raise exception 'embedding is null and attributes are {}'
      using errcode = '22023', hint = 'Give embedding or attributes, or remove the profile with '
                                      'braid.delete_profile.';
  end if;
  perform braid_store.write_profile(v_tenant_id, store_profile.profile, v_collection.vector_space_id,
                                    store_profile.embedding, store_profile.attributes);
end
$$;

comment on function braid_calls.store_profile(text, @vector@.vector, jsonb, text) is
  'Do the work of braid.set_profile.';
