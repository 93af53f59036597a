-- role: writer
-- example: braid.drop_standing_query(name => 'discounts', collection => 'small')
-- page: guide/standing-queries.md
create or replace function braid.drop_standing_query(name text, collection text default 'default')
returns boolean
language sql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select braid_calls.remove_standing_query(drop_standing_query.name, drop_standing_query.collection);
$$;

comment on function braid.drop_standing_query(text, text) is
  E'Drop a standing query of the session''s tenant, with its matches.\n'
  'Return true, or false if there is none of that name.';
