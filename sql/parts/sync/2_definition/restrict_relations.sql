-- role: service
create or replace function braid_store.restrict_relations(kinds text)
returns text
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_before text := current_setting('restrict_nonsystem_relation_kind', true);
begin
  -- The setting exists in PostgreSQL 16.4 and later.
  if v_before is not null then
    perform set_config('restrict_nonsystem_relation_kind', restrict_relations.kinds, true);
  end if;
  return v_before;
end
$$;

comment on function braid_store.restrict_relations(text) is
  'Set the kinds of relations that queries may not read, and return the setting before. It keeps a view''s code from '
  'running if a view has taken a table''s name.';
