-- This block wraps each step of an installation.
declare
  -- The names of this database's two roles.
  v_owner text;
  v_definer text;
  -- The file being applied; errors name it.
  v_file text;
  v_state text;
  v_message text;
  v_detail text;
  v_hint text;
begin
  select n.* into v_owner, v_definer
  from (
{{roles}}
  ) n;

{{part}};
exception when others then
  get stacked diagnostics v_state = returned_sqlstate, v_message = message_text, v_detail = pg_exception_detail,
                          v_hint = pg_exception_hint;
  if v_file is null then
    raise;
  elsif v_state = '53200' and v_hint like '%max_locks_per_transaction%' then -- messages may be translated
    v_message := 'the server has no room for more locks';
    v_hint := format('One is needed for each table, index and function. Raise max_locks_per_transaction, which is %s, '
                     'to four times that, restart the server and run this again. Nothing has been changed.',
                     current_setting('max_locks_per_transaction'));
  elsif v_state = '2BP01' and v_detail <> '' then
    -- PostgreSQL's own hint would be to drop them by cascade.
    raise exception 'objects outside of pgbraid depend on functions or views that change or go: %', v_detail
      using errcode = v_state,
        hint = 'Drop them, run pgbraid upgrade, and create them again. Nothing has been changed.';
  end if;
  raise exception '%: %', v_file, v_message
    using errcode = v_state, hint = coalesce(nullif(v_hint, ''), 'Nothing has been changed.');
end
