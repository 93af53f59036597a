create or replace function braid_store.profile_json(profile braid_store.profiles)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
as $$
  select jsonb_build_object(
    'profile', profile_json.profile.name, 'embedding', profile_json.profile.embedding::text::jsonb,
    'embedding_model', s.embedding_model, 'dimensions', s.dimensions, 'distance', s.distance,
    'attributes', profile_json.profile.attributes, 'updated_at', profile_json.profile.updated_at)
  from (select 1) one
  left join braid_store.vector_spaces s on s.id = profile_json.profile.vector_space_id;
$$;

comment on function braid_store.profile_json(braid_store.profiles) is
  'Return a profile as JSON, with the name of its embedding model. embedding is an array of numbers.';
