-- The roles of the HTTP API, as Supabase has them, after pgbraid is installed. Run again, it sets the password anew.
\set ON_ERROR_STOP on
\getenv password AUTHENTICATOR_PASSWORD
set client_min_messages = warning;
begin;
select format('create role %I', name)
from unnest('{authenticator,anon,authenticated,service_role}'::text[]) name
where to_regrole(name) is null
\gexec
alter role authenticator login noinherit password :'password';
alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
grant anon, authenticated, service_role to authenticator;
grant braid_writer to authenticated, service_role with inherit true;
select braid.add_trusted_role('authenticator', 'gateway'), braid.add_trusted_role('service_role', 'administrator') \g /dev/null
commit;
