create or replace function braid_store.compile_profile(
  profile jsonb,
  tenant_id int,
  collection braid_store.collections,
  out boosts braid_store.boost[],
  out report jsonb
)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_name text := profile ->> 'name';
  v_weight float8 := coalesce((profile ->> 'weight')::float8, 0.2);
  v_stored braid_store.profiles;
  v_attributes jsonb;
  v_embedding @vector@.vector;
  v_state text := 'none';
begin
  if v_name is not null and not profile ?& '{embedding,attributes}' then
    select p.* into v_stored
    from braid_store.profiles p
    where p.tenant_id = compile_profile.tenant_id and p.name = v_name;
    if not found then
      raise exception 'profile "%" does not exist', v_name
        using errcode = '42704',
              hint = 'Store the profile with braid.set_profile or braid.learn_profile. For a user without a '
                     'profile, leave out this option.';
    end if;
  end if;

  if profile ? 'embedding' then
    begin
      v_embedding := profile ->> 'embedding';
    exception when data_exception or program_limit_exceeded then
      raise exception 'option profile: embedding is no vector: %', sqlerrm
        using errcode = '22023', hint = 'Give 1 to 16000 finite numbers, as an array or as a string ''[0.1, ...]''.';
    end;
    perform braid_store.check_embeddings(compile_profile.collection, array[v_embedding], 'option profile: embedding');
    v_state := 'used';
  elsif v_stored.embedding is not null then
    v_state := 'other_model';
    if v_stored.vector_space_id = compile_profile.collection.vector_space_id then
      v_embedding := v_stored.embedding;
      v_state := 'used';
    end if;
  end if;

  boosts := '{}';
  if v_embedding is not null then
    boosts := boosts || row('profile', braid_store.profile_likeness(compile_profile.tenant_id,
      compile_profile.collection,
                                                                    v_embedding), true, v_weight)::braid_store.boost;
  end if;
  v_attributes := coalesce(profile -> 'attributes', v_stored.attributes, '{}');
  boosts := boosts || array(
    select row('profile.' || a.key, braid_store.profile_weight(a.key, a.value), true, v_weight)::braid_store.boost
    from jsonb_each(v_attributes) a
    where a.value <> '{}'
    order by a.key collate "C");
  report := jsonb_build_object('name', v_name, 'weight', v_weight, 'embedding', v_state,
                               'attributes', array(select k from jsonb_object_keys(v_attributes) k
                                 order by k collate "C"));
end
$$;

comment on function braid_store.compile_profile(jsonb, int, braid_store.collections) is
  'Return additive boosts for the option profile, in the form of read_profile_option: one for its vector, and one '
  'for each key of its attributes. Values of the option override values of the named profile. report: the state for '
  'the stats. Its embedding is other_model if the stored vector belongs to another vector space than the '
  'collection''s; the vector is then ignored.';
