create or replace function braid_store.prepare_token_vectors(
  inout options braid_store.search_options,
  collection braid_store.collections
)
language plpgsql
immutable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  perform braid_store.check_token_model(collection, options.token_vector_model, 'option late_interaction'),
          braid_store.check_token_vectors(collection, options.token_vectors, 'option late_interaction');
  options.token_vectors := array(
    select @vector@.l2_normalize(u.vector)
    from unnest(options.token_vectors) with ordinality u (vector, place) order by u.place);
end
$$;

comment on function braid_store.prepare_token_vectors(braid_store.search_options, braid_store.collections) is
  'Returns options with the query''s token vectors brought to length 1. Raises 22023 if they cannot be compared with those '
  'of the collection.';
