-- role: writer
-- example: braid.learn_profile(profile => 'ana', liked => '{doc1}', collection => 'small')
-- page: guide/personalise.md
create or replace function braid.learn_profile(
  profile text,
  liked text[],
  disliked text[] default '{}',
  keys text[] default '{category,speaker}',
  collection text default 'default'
)
returns jsonb
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.derive_profile(profile, liked, disliked, keys, collection);
$$;

comment on function braid.learn_profile(text, text[], text[], text[], text) is
  E'Make a profile from the documents that a user liked and disliked, and store it.\n'
  'profile: the name of the profile. An existing one is replaced, so give all documents that the user ever liked, '
  'not only new ones. liked, disliked: name external_ids in the collection, at most 1000 in all. keys: the '
  'attributes to learn weights for, category, speaker, language or metadata keys.\n'
  'The vector is Rocchio''s: 0.75 × the mean of the liked documents - 0.15 × the mean of the disliked ones. A '
  'document counts as the mean of its first 100 chunks. The weight of a value is the share of liked documents that '
  'have it - 0.2 × the share of disliked documents that have it. For each key, the 16 values with the greatest '
  'weights are kept. The same documents give the same profile.\n'
  'Return an object with liked and disliked (how many documents counted), embedded (how many of them have a vector), '
  'not_found (unknown ids) and the attributes learned.';
