-- role: administrator
-- example: braid.set_validity(collection => 'small', has_validity => false)
-- page: guide/validity.md
create or replace function braid.set_validity(
  collection text,
  has_validity boolean default true,
  retention interval default null
)
returns void
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_store.update_validity(set_validity.collection, set_validity.has_validity, set_validity.retention);
$$;

comment on function braid.set_validity(text, boolean, interval) is
  E'Let documents of a collection say from when and until when they hold and when they expire, and delete old ones.\n'
  'has_validity: with true, searches find a document from valid_from up to, but not including, valid_until, both in '
  'its metadata, unless their filters say another time by $as_of. From expires_at on, a document is not returned, and '
  'maintain() deletes it. With false, the three keys are metadata like all others. retention: how long after its '
  'occurred_at maintain() deletes a document, 1 day to 100 years, in whole days, rounded up; null, the default, keeps '
  'everything. A document without occurred_at stays: the setting default_occurred_at of the collection gives it to '
  'each one. Until maintain() has deleted a document that is too old, searches find it.\n'
  'Documents that are stored already must have the three keys in the form 2026-03-01T00:00:00.000000Z. Each call sets '
  'both settings, for all tenants. Only administrators may call it.';
