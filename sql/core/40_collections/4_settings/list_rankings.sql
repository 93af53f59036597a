-- role: administrator
-- example: braid.list_rankings(collection => 'small')
-- page: guide/apply-ranking.md
create or replace function braid.list_rankings(collection text default 'default')
returns table (
  version int,
  is_current boolean,
  changed_at timestamptz,
  login text,
  role text,
  reason text,
  restored_version int,
  changes jsonb,
  ranking jsonb,
  evaluation jsonb
)
language sql
stable
parallel unsafe
security invoker
rows 100
set search_path = pg_catalog, pg_temp
as $$
  select r.* from braid_store.describe_rankings(collection) r;
$$;

comment on function braid.list_rankings(text) is
  E'List the versions of a collection''s ranking, newest first: who changed what, when and why.\n'
  'Each change by set_ranking or restore_ranking is a version; the newest 100 are kept. Version 1 is the ranking '
  'that the first change found.\n'
  'changes: the settings that differ from the version before, each with both values. ranking: all settings, changed '
  'or not. login: the user who changed it; null, as changed_at is, in a version that no call made: version 1, and '
  'settings that came by another way. role: the role in use, if the user had chosen another one. is_current: whether '
  'the collection ranks by this version.\n'
  'Only administrators may call it.';
