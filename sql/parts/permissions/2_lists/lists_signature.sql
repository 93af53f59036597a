create or replace function braid_store.lists_signature(lists text)
returns text
language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Nobody can choose the time of a statement. The snapshot changes whenever another transaction commits a change. It
  -- tells neither a transaction's own changes nor, on a standby, which changes have been replayed.
  return (
    select encode(sha256(s.access_key || sha256(s.access_key || convert_to(concat_ws(
             ',', quote_nullable(session_user),
             quote_nullable(current_setting('braid.tenant', true)),
             quote_nullable(current_setting('braid.principals', true)),
             quote_nullable(current_setting('request.jwt.claims', true)),
             quote_nullable(current_setting('request.headers', true)),
             timestamptz_send(statement_timestamp()), pg_current_snapshot(), lists_signature.lists), 'UTF8'))), 'hex')
    from braid_store.access_settings s
    where pg_current_xact_id_if_assigned() is null and not pg_is_in_recovery());
end
$$;

comment on function braid_store.lists_signature(text) is
  'Return a signature of the access lists that the session may read, for the current statement, login and settings. '
  'Null in a transaction that has changed rows, and on a standby, where lists are not carried.';
