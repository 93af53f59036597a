create or replace function braid_store.write_note_function(synced braid_store.synced_tables, relation regclass)
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_body text := braid_store.note_function_body(synced, relation);
begin
  if exists (select from pg_proc p
             where p.oid = to_regprocedure(format('braid_store.note_rows_%s()', synced.id)) and p.prosrc = v_body) then
    return;
  end if;
  execute format($function$
    create or replace function braid_store.note_rows_%s()
    returns trigger
    language plpgsql
    volatile
    parallel unsafe
    security definer
    set search_path = pg_catalog, pg_temp
    %s
    as %L
    $function$, synced.id,
    -- Values must be written as read_rows writes them.
    case when synced.mode = 'immediate'
      then 'set datestyle = ''ISO, MDY'' set timezone = ''UTC'' set extra_float_digits = 1 '
         'set intervalstyle = ''postgres'' set bytea_output = ''hex'' set lc_monetary = ''C'''
         else '' end,
    v_body);
end
$$;

comment on function braid_store.write_note_function(braid_store.synced_tables, regclass) is
  'Replace the trigger function of a synced table if its body differs from note_function_body.';
