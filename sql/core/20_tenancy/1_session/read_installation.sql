-- role: reader
create or replace function braid_calls.read_installation()
returns table (version text, part_hashes jsonb, migrations jsonb, placeholders jsonb, extension_hashes jsonb,
               installed_at timestamptz)
language sql
stable
parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
  select i.version, (select jsonb_object_agg(p.name, p.content_hash) from braid_store.parts p), i.migrations,
    i.placeholders,
         i.extension_hashes, i.installed_at
  from braid_store.installation i
  where braid_calls.login_is_known();
$$;

comment on function braid_calls.read_installation() is
  'Return the installed version, and a hash of the core, of each installed part and of each migration. Return one '
  'row, or none for a login that login_is_known() does not know.';
