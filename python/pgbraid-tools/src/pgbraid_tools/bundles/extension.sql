-- This script creates the extension pgbraid {{version}}, and updates it from any earlier version.
select pg_catalog.set_config('pgbraid.script', $braid_script${{script}}$braid_script$, true);

-- PostgreSQL shows the statement of an error behind message and hint, so this statement is a short one.
do $braid_run$
declare
  v_state text;
  v_message text;
  v_hint text;
begin
  execute pg_catalog.current_setting('pgbraid.script');
exception when others then
  get stacked diagnostics v_state = returned_sqlstate, v_message = message_text, v_hint = pg_exception_hint;
  if v_hint = '' then
    raise exception '%', v_message using errcode = v_state;
  end if;
  raise exception '%', v_message using errcode = v_state, hint = v_hint;
end
$braid_run$;
