create or replace function braid_store.extend_removal(part text)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  null;
end
$$;

comment on function braid_store.extend_removal(text) is
  'Extension point: lets a part that is removed undo what it has made outside of its own tables, before anything of it is dropped. '
  'part: the name of the part that is removed; the others do nothing.';
