-- role: writer
-- example: braid.delete_profile(profile => 'ana')
-- page: guide/personalise.md
create or replace function braid.delete_profile(profile text)
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.remove_profile(profile);
$$;

comment on function braid.delete_profile(text) is
  E'Delete a profile of the session''s tenant.\nReturn true, or false if there is none of that name.';
