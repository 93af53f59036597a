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
  E'Make a profile of what a user liked and disliked, and store it.\n'
  'profile: its name; one of this name is replaced, so give all that the user ever liked, not what is new. liked, '
  'disliked: external_ids in the collection, at most 1000 in all. The vector is Rocchio''s: 0.75 × the mean of the '
  'liked documents - 0.15 × the mean of the disliked ones. A document counts as the mean of its first 100 chunks. '
  'keys: those to learn weights of attributes for, category, speaker, language or metadata keys. A value weighs the '
  'share of the liked documents that have it - 0.2 × that of the disliked ones; the 16 that weigh most are kept of '
  'each key. The same documents give the same profile. Return an object: liked, disliked and embedded (how many '
  'documents counted, and how many of them have a vector), not_found (the ids that are not there) and the attributes '
  'learned.';
