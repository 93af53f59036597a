create or replace function braid_store.write_profile(
  tenant_id int,
  name text,
  vector_space_id int,
  embedding @vector@.vector,
  attributes jsonb
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  insert into braid_store.profiles (tenant_id, name, vector_space_id, embedding, attributes)
  values (write_profile.tenant_id, write_profile.name,
          case when write_profile.embedding is not null then write_profile.vector_space_id end, write_profile.embedding,
          write_profile.attributes)
  on conflict on constraint profiles_pkey do update
  set vector_space_id = excluded.vector_space_id, embedding = excluded.embedding, attributes = excluded.attributes,
      updated_at = excluded.updated_at;
$$;

comment on function braid_store.write_profile(int, text, int, @vector@.vector, jsonb) is
  'Write a profile, replacing an existing one of this name. vector_space_id names the vector space of its embedding.';
