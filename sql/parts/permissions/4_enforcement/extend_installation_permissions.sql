create or replace function braid_store.extend_installation_permissions()
returns void
language plpgsql
volatile
parallel unsafe
security invoker
set search_path = pg_catalog, pg_temp
as $$
declare
  v_table text;
begin
  -- A policy is created only where it is missing or an older one, because that locks the table against every reader.
  foreach v_table in array '{documents,chunks}'::text[] loop
    if not exists (select from pg_policy p
                   where p.polrelid = to_regclass(format('braid_store.%I', v_table)) and p.polname = 'access'
                     and pg_get_expr(p.polqual, p.polrelid) like '%readable_bounds%') then
      execute format('drop policy if exists access on braid_store.%I', v_table);
      execute format(
        'create policy access on braid_store.%I as restrictive for select using (access_list_id is null '
        -- The subquery runs once for a statement, when the first row with a list comes.
        'or width_bucket(access_list_id, (select braid_calls.readable_bounds())) %% 2 = 1)', v_table);
    end if;
  end loop;
  -- The log shows writers what others have searched for and found. Functions log and read feedback as the definer role.
  foreach v_table in array '{search_log,search_feedback}'::text[] loop
    if to_regclass(format('braid_store.%I', v_table)) is not null
       and not exists (select from pg_policy p
                       where p.polrelid = to_regclass(format('braid_store.%I', v_table)) and p.polname = 'access') then
      execute format('create policy access on braid_store.%I as restrictive for select to braid_reader '
                     'using ((select braid_calls.sees_all()))', v_table);
    end if;
  end loop;
end
$$;

comment on function braid_store.extend_installation_permissions() is
  'Create the policies that hide documents and chunks from sessions that may not read them, and the search log from '
  'sessions that may not read all.';
