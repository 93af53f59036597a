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
  'Extension point: let a part that is being removed undo what it made outside of its own tables, before anything of '
  'it is dropped. part: the name of the removed part; other parts do nothing.';
