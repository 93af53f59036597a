-- role: writer
create or replace function braid_calls.derive_profile(
  profile text,
  liked text[],
  disliked text[],
  keys text[],
  collection text
)
returns jsonb
language plpgsql
volatile
parallel unsafe
security definer
set search_path = pg_catalog, pg_temp
set jit = off
as $$
#variable_conflict use_column
declare
  c_most_documents constant int := 1000;
  v_tenant_id int := braid_store.tenant_id_for_writing();
  v_collection braid_store.collections := braid_store.find_collection(derive_profile.collection);
  v_liked_ids bigint[];
  v_disliked_ids bigint[];
  v_not_found text[];
  v_learned record;
  v_attributes jsonb;
  v_wrong record;
begin
  perform braid_store.check_profile_name(derive_profile.profile);
  select g.name, g.value into v_wrong
  from (values
    ('liked', derive_profile.liked, 1), ('disliked', derive_profile.disliked, 0), ('keys', derive_profile.keys, 0)
  ) g (name, value, least_count)
  where (cardinality(g.value) >= g.least_count) is not true or exists (select from unnest(g.value) u where u is null)
  limit 1;
  if found then
    raise exception '% is %', v_wrong.name, coalesce(left(v_wrong.value::text, 100), 'null')
      using errcode = '22023',
            hint = 'Give external_ids of documents, at least one as liked, and keys such as {category,speaker}; '
              'disliked and keys '
                   'may be empty arrays.';
  elsif cardinality(derive_profile.liked) + cardinality(derive_profile.disliked) > c_most_documents then
    raise exception 'liked and disliked have % ids, more than %',
                    cardinality(derive_profile.liked) + cardinality(derive_profile.disliked), c_most_documents
      using errcode = '54000', hint = 'Give only the newest ids.';
  elsif derive_profile.liked && derive_profile.disliked then
    raise exception 'document "%" is liked and disliked',
                    left((select l from unnest(derive_profile.liked) l where l = any (derive_profile.disliked) limit 1),
                      255)
      using errcode = '22023', hint = 'Give each document only in liked or only in disliked.';
  end if;
  perform braid_store.check_profile_attributes(
    (select coalesce(jsonb_object_agg(k, '{}'::jsonb), '{}') from unnest(derive_profile.keys) k), 'keys');

  select coalesce(array_agg(d.id order by g.external_id) filter (where g.is_liked), '{}'),
         coalesce(array_agg(d.id order by g.external_id) filter (where not g.is_liked), '{}'),
         coalesce(array_agg(g.external_id order by g.external_id) filter (where d.id is null), '{}')
  into v_liked_ids, v_disliked_ids, v_not_found
  from (
    select u.external_id collate "C" as external_id, true as is_liked from unnest(derive_profile.liked) u (external_id)
    union
    select u.external_id collate "C", false from unnest(derive_profile.disliked) u (external_id)
  ) g
  left join lateral (
    select d.id from braid_store.documents d
    where d.tenant_id = v_tenant_id and d.collection_id = v_collection.id and d.external_id = g.external_id
      and (v_collection.parts is null or braid_store.extend_hidden_document(d, v_collection) is not true)
    offset 0
  ) d on true;
  v_liked_ids := array_remove(v_liked_ids, null);
  v_disliked_ids := array_remove(v_disliked_ids, null);

  v_learned := braid_store.rocchio_vector(v_tenant_id, v_collection, v_liked_ids, v_disliked_ids);
  v_attributes := braid_store.learned_weights(v_tenant_id, v_liked_ids, v_disliked_ids, derive_profile.keys);
  if v_learned.embedding is null and v_attributes = '{}' then
    raise exception 'there is nothing to learn from: % of the liked documents exist, and % of these are embedded',
                    cardinality(v_liked_ids), v_learned.liked_count
      using errcode = '22023',
            hint = 'Give documents of the collection that are embedded, or have one of the keys.';
  end if;
  perform braid_store.check_profile_attributes(v_attributes, 'attributes'),
          braid_store.write_profile(v_tenant_id, derive_profile.profile, v_collection.vector_space_id,
            v_learned.embedding,
                                    v_attributes);
  return jsonb_build_object(
    'liked', cardinality(v_liked_ids), 'disliked', cardinality(v_disliked_ids),
    'embedded', v_learned.liked_count + v_learned.disliked_count, 'not_found', v_not_found, 'attributes', v_attributes);
end
$$;

comment on function braid_calls.derive_profile(text, text[], text[], text[], text) is
  'Do the work of braid.learn_profile.';
