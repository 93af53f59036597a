create or replace function braid_store.profile_likeness(
  tenant_id int,
  collection braid_store.collections,
  embedding @vector@.vector
)
returns text
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
as $$
declare
  v_distance text := (select s.distance from braid_store.vector_spaces s
                      where s.id = (profile_likeness.collection).vector_space_id);
  v_mean float8 := braid_store.mean_similarity(profile_likeness.tenant_id, profile_likeness.collection, v_distance,
                                               profile_likeness.embedding);
  -- Equal vectors have this similarity.
  v_nearest float8 := case v_distance when 'inner_product' then @vector@.vector_norm(profile_likeness.embedding) ^ 2
    else 1 end;
  v_shard braid_store.serving_shard := braid_store.serving_shard(profile_likeness.tenant_id,
    profile_likeness.collection);
begin
  -- If no vector is nearer than the mean, or there are no vectors, likeness cannot tell chunks apart.
  if (v_nearest - v_mean > 1e-6 * greatest(abs(v_nearest), abs(v_mean))) is not true then
    return 'null::float8';
  end if;
  -- The test for null is needed because greatest() and least() ignore nulls.
  return format(
    '(select case when n.distance is not null then least(greatest((%s - %L::float8) / %L::float8, -1), 1) end '
    'from (select coalesce(%s) %s %L::@vector@.vector as distance offset 0) n)',
    case v_distance when 'cosine' then '1 - n.distance' when 'inner_product' then '-n.distance'
      else '1 / (1 + n.distance)' end,
    v_mean, v_nearest - v_mean,
    concat_ws(
      ', ',
      case when v_shard.has_written or v_shard.id is null then
        format('(select v.embedding from braid_store.chunk_vectors v where v.tenant_id = %L and v.collection_id = %L '
               'and v.vector_space_id = %L and v.chunk_id = c.id)',
               profile_likeness.tenant_id, (profile_likeness.collection).id,
                 (profile_likeness.collection).vector_space_id) end,
      case when v_shard.id is not null then
        format('(select v.embedding::@vector@.vector from braid_store.vectors_%s v '
               'where v.tenant_id = %L and v.chunk_id = c.id)', v_shard.id, profile_likeness.tenant_id) end),
    braid_store.distance_operator(v_distance), profile_likeness.embedding);
end
$$;

comment on function braid_store.profile_likeness(int, braid_store.collections, @vector@.vector) is
  'Return the SQL expression, on braid_store.chunks c, for the likeness of a chunk''s vector to a profile''s vector. '
  'Likeness is 1 for an equal vector, 0 for one that is as similar as the collection''s vectors are on average, and '
  'at least -1. It is null for a chunk without a vector.';
