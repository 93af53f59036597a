create or replace function braid_store.extend_health(older_than interval, shows_messages boolean)
returns table (severity text, code text, subject text, finding text, reason text, command text)
language plpgsql
stable
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  return;
end
$$;

comment on function braid_store.extend_health(interval, boolean) is
  'Extension point: add findings of parts, for all tenants, to braid.health of administrators and monitors. '
  'older_than: see braid.health. shows_messages: whether the caller may see what tenants have stored, such as '
  'messages and metadata keys.';
