-- This is the first block of the SQL that adds a part to an installation of the same version. It refuses any other
-- database.
declare
  v_version constant text := '{{version}}';
  v_part constant text := {{name}};
  -- Names and content hashes of the core, of each needed part, and of the new part.
  v_wanted constant text[] := array[
{{wanted}}
  ];
  v_installed text;
  v_row text[];
  v_hash text;
begin
  -- No reader or writer waits for this block's locks, so a long timeout is harmless.
  perform set_config('lock_timeout', '60s', true);
  if current_setting('transaction_read_only') = 'on' then
    raise exception 'the transaction is read-only'
      using errcode = '25006',
            hint = 'On a standby, run this on the primary. Else run this first, and then the bundle again: set '
                   'default_transaction_read_only = off;';
  elsif not exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                 where n.nspname = 'braid_store' and c.relname = 'installation') then
    raise exception 'the database has no pgbraid, to which the part % could be added', v_part
      using errcode = '55000', hint = 'Install the core first, by: pgbraid bundle --only core';
  elsif not pg_has_role(current_user, (select n.nspowner from pg_namespace n where n.nspname = 'braid_store'), 'USAGE')
    then
    raise exception '% may not change the pgbraid of this database', current_user
      using errcode = '42501', hint = 'Run this as the login that has installed it.';
  end if;
  lock table braid_store.installation in exclusive mode;
  select i.version into v_installed from braid_store.installation i where i.placeholders ->> 'owner' = v_owner;
  foreach v_row slice 1 in array v_wanted loop
    select p.content_hash into v_hash from braid_store.parts p where p.name = v_row[1];
    if not found and v_row[1] <> v_part then
      raise exception 'the part % needs %, which is not installed', v_part, v_row[1]
        using errcode = '55000', hint = format('Install it first, by: pgbraid bundle --part %s', v_row[1]);
    elsif v_installed is distinct from v_version or found and v_hash <> v_row[2] then
      raise exception 'the part % is of pgbraid %, and the database %', v_part, v_version,
                      case when v_installed <> v_version then format('has %s', v_installed)
                           when v_installed is null then 'was renamed, or is a copy'
                           else format('has another %s', case v_row[1] when 'core' then 'core' else 'part '
                             || v_row[1] end) end
        using errcode = '55000',
              hint = 'Upgrade the database first, by pgbraid upgrade, or by a bundle with all parts that it has: '
                'pgbraid bundle '
                     '--only PART --only PART';
    end if;
  end loop;
end
