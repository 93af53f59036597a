-- Create the roles of the HTTP API, as Supabase has them, and the worker's role. Run it after pgbraid is installed; run
-- again, it sets the passwords anew.
\set ON_ERROR_STOP on
\getenv authenticator_password AUTHENTICATOR_PASSWORD
\getenv worker_password WORKER_PASSWORD
set client_min_messages = warning;
begin;
select format('create role %I', name)
from unnest('{authenticator,anon,authenticated,service_role,braid_worker}'::text[]) name
where to_regrole(name) is null
\gexec
alter role authenticator login noinherit password :'authenticator_password';
alter role braid_worker login password :'worker_password';
alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
grant anon, authenticated, service_role to authenticator;
grant braid_writer to authenticated, service_role, braid_worker with inherit true;
select braid.add_trusted_role('authenticator', 'gateway'), braid.add_trusted_role('service_role', 'administrator'),
       braid.add_trusted_role('braid_worker', 'service') \g /dev/null
commit;
