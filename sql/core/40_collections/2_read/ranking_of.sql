create or replace function braid_store.ranking_of(collection braid_store.collections)
returns jsonb
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1
as $$
  select jsonb_object_agg(s.name, coalesce(c.settings -> s.name, 'null'))
  from (select coalesce(ranking_of.collection.parts, '{}') || to_jsonb(ranking_of.collection)) c (settings),
       braid_store.known_ranking_settings() s;
$$;

comment on function braid_store.ranking_of(braid_store.collections) is
  'Return all settings by which a collection ranks, as rank_as takes them.';
