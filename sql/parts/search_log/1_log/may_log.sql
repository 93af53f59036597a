create or replace function braid_store.may_log(collection braid_store.collections)
returns boolean
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
begin
  if collection.parts ->> 'search_log' is null then
    return false;
  end if;
  -- In a serializable transaction, the insert could make a transaction fail that only searched. A standby is read-only.
  -- Requests without a user write nothing.
  return current_setting('transaction_read_only') = 'off'
         and current_setting('transaction_isolation') <> 'serializable'
         and (collection.parts ->> 'search_log' = 'all' or random() < (collection.parts ->> 'search_log_share')::float8)
         -- Only gateways have requests without a user. The privilege check is cheap and spares other sessions a
         -- look-up.
         and not (has_function_privilege(session_user, 'braid_store.gateway_mark()'::regprocedure, 'execute')
                  and braid_store.session_is_anonymous());
end
$$;

comment on function braid_store.may_log(braid_store.collections) is
  'Return whether to log a search of this collection that has just ended: the collection''s settings select it, and '
  'the session may write to the log.';
