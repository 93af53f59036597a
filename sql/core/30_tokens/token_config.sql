create or replace function braid_store.token_config(text_config text)
returns regconfig
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_config regconfig;
begin
  select c.oid into v_config
  from pg_ts_config c
  where c.cfgname = token_config.text_config and c.cfgnamespace = 'pg_catalog'::regnamespace;

  if not found then
    select c.oid into v_config
    from pg_ts_config c
    join pg_namespace n on n.oid = c.cfgnamespace
    where n.nspname || '.' || c.cfgname = token_config.text_config;
  end if;
  if v_config is null then
    raise exception 'text search configuration "%" does not exist', token_config.text_config
      using errcode = '42704',
            hint = format('Use one of %s; write a configuration outside pg_catalog with its schema.',
                          (select string_agg(c.cfgname, ', ' order by c.cfgname)
                           from pg_ts_config c
                           where c.cfgnamespace = 'pg_catalog'::regnamespace));
  end if;
  return v_config;
end
$$;

comment on function braid_store.token_config(text) is
  'Return the text search configuration with this name, in pg_catalog unless the name includes a schema. Raise 42704 '
  'if there is none.';
