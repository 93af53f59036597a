-- role: writer
-- example: braid.get_profile(profile => 'ana')
-- page: guide/personalise.md
create or replace function braid.get_profile(profile text)
returns jsonb
language sql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.read_profile(profile);
$$;

comment on function braid.get_profile(text) is
  E'Return a profile of the session''s tenant; null if there is none of that name.\n'
  'The profile is an object with profile (its name), embedding (an array), embedding_model, dimensions, distance, '
  'attributes and updated_at. For writers; all other roles only use a profile in searches.';
