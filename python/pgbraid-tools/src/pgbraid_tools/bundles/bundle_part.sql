-- pgbraid {{version}}, part {{number}} of {{count}}. Run the parts in their order; each may be run again. The last one
-- installs or upgrades pgbraid, all of it or nothing.
do $braid_bundle_part$
declare
  -- Which schemas the Data API exposes now, such as 'public, graphql_public': braid is added to them. It counts in the
  -- last part. Left empty, add braid in the dashboard, under Project Settings, Data API, Exposed schemas.
  v_exposed text := '';

  c_bundle constant text := '{{hash}}';
  c_number constant int := {{number}};
  c_count constant int := {{count}};
  c_name constant text := '{{file}}';
  c_text constant text := $braid_bundle_text${{text}}$braid_bundle_text$;
  v_path text := pg_catalog.current_setting('search_path');
  v_number int;
  v_text text;
  v_state text;
  v_message text;
  v_hint text;
begin
  perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  if exists (select from pg_namespace n where n.nspname = 'braid_bundle' and n.nspowner <> current_user::regrole) then
    raise exception 'the schema braid_bundle belongs to another role'
      using errcode = '42501', hint = 'Have its owner run: drop schema braid_bundle cascade;';
  end if;
  if c_number = 1 and not exists (select from pg_namespace n where n.nspname = 'braid_bundle') then
    create schema braid_bundle;
    create table braid_bundle.parts (number int primary key, bundle text not null, content text not null);
  elsif not exists (select from pg_namespace n where n.nspname = 'braid_bundle') then
    raise exception 'part 1 of % has not been run', c_count
      using errcode = '55000', hint = format('Run %s first, and then the others in their order.', format(c_name, 1));
  end if;
  delete from braid_bundle.parts p where p.bundle <> c_bundle;
  -- An editor may have changed line endings.
  insert into braid_bundle.parts (number, bundle, content) values (c_number, c_bundle, replace(c_text, E'\r', ''))
  on conflict (number) do update set content = excluded.content;
  select min(n) into v_number
  from generate_series(1, c_number) n
  where not exists (select from braid_bundle.parts p where p.number = n);
  if v_number is not null then
    raise exception 'part % of % has not been run', v_number, c_count
      using errcode = '55000', hint = format('Run %s first, and then this one again.', format(c_name, v_number));
  end if;
  if c_number = c_count then
    select string_agg(p.content, '' order by p.number) into v_text from braid_bundle.parts p;
    if encode(sha256(convert_to(v_text, 'UTF8')), 'hex') <> c_bundle then
      raise exception 'the parts are not as they were written'
        using errcode = '55000', hint = format('Copy the whole of each file, and begin again with %s.',
          format(c_name, 1));
    end if;
    drop schema braid_bundle cascade;
    perform set_config('pgbraid.exposed', v_exposed, true);
    begin
      execute v_text;
    exception when others then
      -- Raise the error again without its context, which has the whole text: psql's readers would not find message and
      -- hint in it.
      get stacked diagnostics v_state = returned_sqlstate, v_message = message_text, v_hint = pg_exception_hint;
      if v_hint = '' then
        raise;
      end if;
      raise exception '%', v_message using errcode = v_state, hint = v_hint;
    end;
  end if;
  perform set_config('search_path', v_path, true);
end
$braid_bundle_part$;
