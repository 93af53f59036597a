-- pgbraid {{version}} as a trusted language extension, for servers with pg_tle. Run all of it as a member of
-- pgtle_admin; it is one statement, and may be run again. Then run: create extension pgbraid cascade;
-- or, where an older version is: alter extension pgbraid update;
do $braid_tle$
declare
  c_script constant text := $braid_tle_script${{script}}$braid_tle_script$;
  c_version constant text := '{{version}}';
  c_comment constant text := {{comment}};
  v_path constant text := pg_catalog.current_setting('search_path');
  v_from text;
begin
  perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  if not exists (select from pg_extension e where e.extname = 'pg_tle') then
    raise exception 'the database has no pg_tle'
      using errcode = '0A000',
            hint = 'Add pg_tle to shared_preload_libraries, restart the server, and run: create extension pg_tle;';
  end if;
  select max(v.version) into v_from
  from pgtle.available_extension_versions() v
  where v.name = 'pgbraid'
    and string_to_array(v.version, '.')::int[] > string_to_array(c_version, '.')::int[];
  if v_from is not null then
    raise exception 'the database has pgbraid % already, which is newer than %', v_from, c_version
      using errcode = '55000', hint = 'Run: create extension pgbraid cascade; or: alter extension pgbraid update;';
  end if;
  if not exists (select from pgtle.available_extensions() a where a.name = 'pgbraid') then
    -- Older versions of pg_tle take no schema. Nothing of pgbraid is in it; pg_catalog is never dropped.
    if to_regprocedure('pgtle.install_extension(text,text,text,text,text[],text)') is not null then
      execute 'select pgtle.install_extension(''pgbraid'', $1, $2, $3, ''{vector}'', ''pg_catalog'')'
        using c_version, c_comment, c_script;
    else
      perform pgtle.install_extension('pgbraid', c_version, c_comment, c_script, '{vector}');
    end if;
  elsif not exists (select from pgtle.available_extension_versions() v
                    where v.name = 'pgbraid' and v.version = c_version) then
    perform pgtle.install_extension_version_sql('pgbraid', c_version, c_script);
  end if;
  -- The script upgrades each older version.
  for v_from in
    select v.version
    from pgtle.available_extension_versions() v
    where v.name = 'pgbraid' and v.version <> c_version
      and not exists (select from pgtle.extension_update_paths('pgbraid') p
                      where p.source = v.version and p.target = c_version and p.path = v.version || '--' || c_version)
  loop
    perform pgtle.install_update_path('pgbraid', v_from, c_version, c_script);
  end loop;
  perform pgtle.set_default_version('pgbraid', c_version);
  perform set_config('search_path', v_path, true);
end
$braid_tle$;
