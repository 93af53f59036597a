-- This step runs between the first and the third step: it deletes what removed parts have stored in the core's tables.
-- Then finish.sql drops their functions and views, which no file replaces; last, their tables go.
declare
  v_names constant text[] := array[{{names}}]::text[];
  v_tables constant text[] := array[{{tables}}]::text[];
  v_drops_data constant boolean := {{drops_data}};
  v_name text;
  v_found text;
  v_table text;
  v_is_found boolean;
  v_full text[] := '{}';
  v_settings text[];
begin
  foreach v_name in array v_names loop
    if v_name = 'core' then
      raise exception 'the core is no part, and is not removed alone'
        using errcode = '22023', hint = 'Remove pgbraid as a whole: pgbraid uninstall';
    elsif not exists (select from braid_store.parts p where p.name = v_name) then
      raise exception 'the part % is not installed', v_name
        using errcode = '42704',
              hint = (select format('Installed are: %s.', string_agg(p.name, ', ' order by p.place))
                from braid_store.parts p);
    end if;
    select string_agg(p.name, ', ' order by p.place) into v_found
    from braid_store.parts p
    where p.manifest -> 'needs' ? v_name and p.name <> all (v_names);
    if v_found is not null then
      raise exception 'the part % is needed by %', v_name, v_found
        using errcode = '55000', hint = format('Remove these as well: pgbraid uninstall --part %s --part %s', v_name,
                                               replace(v_found, ', ', ' --part '));
    end if;
  end loop;

  -- PostgreSQL tracks no dependencies of function bodies, so search their text.
  select string_agg(format('function %s', p.oid::regprocedure), ', ' order by p.oid::regprocedure::text) into v_found
  from pg_proc p
  join pg_namespace n on n.oid = p.pronamespace
    and n.nspname !~ '^(braid|braid_(calls|store|locks)|pg_.*|information_schema)$'
  cross join (
    select string_agg(substr(l.name #>> '{}', length('braid.') + 1), '|') as names
    from braid_store.parts s, jsonb_path_query(s.manifest, '$.*.*[*]') l (name)
    where s.name = any (v_names) and jsonb_typeof(l.name) = 'string' and l.name #>> '{}' ^@ 'braid.'
  ) l
  where lower(p.prosrc collate "C") ~ format(E'\\mbraid"?\\s*[.]\\s*"?(%s)\\M', l.names);
  if v_found is not null then
    raise exception 'functions outside of pgbraid call what is to be removed: %', v_found
      using errcode = '2BP01', hint = 'Drop or change them, and run this again. Nothing has been changed.';
  end if;

  select coalesce(array_agg(s.key), '{}') into v_settings
  from braid_store.parts p, jsonb_object_keys(p.manifest -> 'settings') s (key)
  where p.name = any (v_names);
  if not v_drops_data then
    foreach v_table in array v_tables loop
      execute format('select exists (select from braid_store.%I)', v_table) into v_is_found;
      if v_is_found then
        v_full := v_full || v_table;
      end if;
    end loop;
    if v_full <> '{}' then
      raise exception 'there are rows in tables of what is to be removed (%): %', array_to_string(v_names, ', '),
                      array_to_string(v_full, ', ')
        using errcode = '55000', hint = 'To delete them with the part, give --drop-data. Nothing has been changed.';
    end if;
    select string_agg(format('%s of collection "%s"', s.settings, c.name), ', ' order by c.name) into v_found
    from braid_store.collections c
    cross join lateral (
      select string_agg(distinct e.key, ', ') as settings
      from (
        select * from jsonb_each(c.parts)
        union all
        select e.* from braid_store.ranking_versions r, jsonb_each(r.ranking) e where r.collection_id = c.id
      ) e
      where e.key = any (v_settings) and e.value <> 'null'
        and not exists (select from braid_store.parts p
                        where p.manifest #> array['settings', e.key, 'default'] = e.value)
    ) s
    where s.settings is not null;
    if v_found is not null then
      raise exception 'collections, or versions of their rankings, have settings of what is to be removed: %', v_found
        using errcode = '55000', hint = 'To delete them with the part, give --drop-data. Nothing has been changed.';
    end if;
  end if;

  foreach v_name in array v_names loop
    perform braid_store.extend_removal(v_name);
  end loop;
  update braid_store.collections c set parts = nullif(c.parts - v_settings, '{}') where c.parts ?| v_settings;
  update braid_store.ranking_versions r
  set ranking = r.ranking - v_settings, previous = r.previous - v_settings
  where r.ranking ?| v_settings or r.previous ?| v_settings;
  delete from braid_store._yoyo_migration y where split_part(y.migration_id, '.', 1) = any (v_names);
end
