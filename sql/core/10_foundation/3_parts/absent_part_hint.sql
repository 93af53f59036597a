create or replace function braid_store.absent_part_hint(kind text, name text)
returns text
language sql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
  select format('This name belongs to the part %1$s, which is not installed. Run: pgbraid init --with %1$s', p.part)
  from (
    select c.manifest #>> array['names_of_parts', absent_part_hint.kind, absent_part_hint.name] as part
    from braid_store.parts c
    where c.name = 'core'
  ) p
  where not exists (select from braid_store.parts i where i.name = p.part) and p.part is not null;
$$;

comment on function braid_store.absent_part_hint(text, text) is
  'Return a hint for an error about a name that only an absent part knows; null for all other names. kind: options '
  'of searches, settings of collections, records of an export, or fields of a chunk.';
