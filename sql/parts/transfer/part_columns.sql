create or replace function braid_store.part_columns(relation text)
returns text[]
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select array(
    select c from braid_store.parts p, jsonb_array_elements_text(p.manifest -> 'columns' -> part_columns.relation) c)
$$;

comment on function braid_store.part_columns(text) is
  'Return the columns that parts have added to a table of the core. They mean nothing in another database, so an '
  'export leaves them out; parts export what they stand for (extend_export_document).';
