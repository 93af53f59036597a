-- pgbraid {{version}}: hybrid search in PostgreSQL.
--
-- Run all of it. It is one statement, so that all of it is done or nothing; running it again changes nothing, and over
-- an older version it upgrades. `pgbraid upgrade` goes on from it.
do $braid_bundle$
declare
{{exposed}}

  -- The result must not depend on the session. An object planted in another schema of the path could be called with the
  -- installer's rights.
  v_pinned constant jsonb := '{{pinned}}';
  v_settings jsonb;
  v_state text;
  v_message text;
begin
  -- Any login can lock pg_settings, because everybody may update it; so read the settings one by one.
  select pg_catalog.jsonb_object_agg(s.key, pg_catalog.current_setting(s.key)) into v_settings
  from pg_catalog.jsonb_each_text(pg_catalog.jsonb_set(v_pinned, '{lock_timeout}', '0')) s;
  perform pg_catalog.set_config(s.key, s.value, true) from pg_catalog.jsonb_each_text(v_pinned) s;

  -- On a cluster, functions have another form, and nodes have to follow.
  if exists (select from pg_catalog.pg_namespace n where n.nspname = 'braid_shards') then
    raise exception 'tenants are distributed over the nodes of a cluster, where this cannot run'
      using errcode = '55000',
            hint = 'Run pgbraid upgrade. To add a part, gather the tenants first: pgbraid distribute --gather';
  end if;

  -- The installation starts here. If it meets other transactions, it releases its locks and retries a little later.
  for v_attempt in 1 .. {{attempts}} loop
    begin
{{parts}};

{{supabase}};
      exit;
    exception when others then
      get stacked diagnostics v_state = returned_sqlstate, v_message = message_text;
      if v_state <> all (array[{{retried}}]) or v_state = 'XX000' and v_message not like '%concurrently%' then
        raise;
      elsif v_attempt = {{attempts}} and v_state = '55P03' then
        select string_agg(h.name, ', ') into v_message
        from (
{{holders}}
        ) h (name);
        raise exception 'a lock was not to be had in {{attempts}} tries: % uses pgbraid''s tables',
                        coalesce(v_message, 'another session')
          using errcode = v_state,
                hint = 'End long transactions (see pg_stat_activity and pg_prepared_xacts) and run this again; '
                  'nothing has '
                       'been changed.';
      elsif v_attempt = {{attempts}} then
        raise;
      end if;
    end;
    perform pg_sleep(least(0.05 * v_attempt, 1));
  end loop;

  perform set_config(s.key, s.value, true) from jsonb_each_text(v_settings) s;
end
$braid_bundle$;

select 'pgbraid ' || (select version from braid_store.installation) || ' is installed, with: ' ||
       (select string_agg(p.name, ', ' order by p.place) from braid_store.parts p) as result
union all
select 'add braid to the exposed schemas: Project Settings, Data API, Exposed schemas'
where not exists (
  select
  from pg_catalog.pg_db_role_setting d
  join pg_catalog.pg_roles r on r.oid = d.setrole
  cross join unnest(d.setconfig) s (setting)
  where r.rolname = 'authenticator' and s.setting ~ E'^pgrst\\.db_schemas=.*\\mbraid\\M');
