-- role: writer
-- example: braid.set_profile(profile => 'ana', embedding => '[0,0,1]', collection => 'small')
-- page: guide/personalise.md
create or replace function braid.set_profile(
  profile text,
  embedding @vector@.vector default null,
  attributes jsonb default '{}',
  collection text default 'default'
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.store_profile(profile, embedding, attributes, collection);
$$;

comment on function braid.set_profile(text, @vector@.vector, jsonb, text) is
  E'Store a profile of the session''s tenant: what a user likes, for the option profile of searches.\n'
  'profile: the name of the profile; an existing one is replaced. embedding: a vector of the collection''s embedding '
  'model; chunks with similar vectors are boosted. attributes: weights from -1 to 1 of values, by key: {"category": '
  '{"billing": 0.5}}. A key is category, speaker, language or a metadata key. collection: the collection whose model '
  'made the embedding; the profile works in every collection with the same model.';
