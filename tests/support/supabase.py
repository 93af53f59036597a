"""Set up a server as a Supabase project's database before any installation, following supabase/postgres."""

from __future__ import annotations

import psycopg

from pgbraid import embedded

# The owner of a project is `postgres`, which is no superuser there.
OWNER = "postgres"
ADMIN = "supabase_admin"

ROLES = """
create role anon nologin;
create role authenticated nologin;
create role service_role nologin bypassrls;
create role authenticator login noinherit;
grant anon, authenticated, service_role to authenticator;
alter role anon set statement_timeout = '3s';
alter role authenticated set statement_timeout = '8s';
alter role authenticator set statement_timeout = '8s';
alter role authenticator set lock_timeout = '8s';
create role postgres login createdb createrole replication bypassrls;
alter role postgres set search_path = '$user', public, extensions;
grant anon, authenticated, service_role to postgres with admin option;
-- What supautils lets the owner do.
grant authenticator to postgres with admin option, inherit false, set false;
grant set on parameter pgrst.db_schemas to postgres;
"""
DATABASE = """
alter database project owner to postgres;
create schema extensions authorization postgres;
grant usage on schema extensions to anon, authenticated, service_role;
create extension vector schema extensions;
alter default privileges for role postgres in schema public
  grant all on tables to postgres, anon, authenticated, service_role;
alter default privileges for role postgres in schema public
  grant all on functions to postgres, anon, authenticated, service_role;
create schema auth;
grant usage on schema auth to anon, authenticated, service_role, postgres;
create function auth.jwt() returns jsonb language sql stable as $$
  select coalesce(nullif(current_setting('request.jwt.claim', true), ''),
                  nullif(current_setting('request.jwt.claims', true), ''))::jsonb
$$;
create function auth.uid() returns uuid language sql stable as $$
  select (coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb ->> 'sub')::uuid
$$;
create publication supabase_realtime;
-- Reloads the schema cache of PostgREST after every DDL.
create function extensions.pgrst_ddl_watch() returns event_trigger language plpgsql as $$
begin
  notify pgrst, 'reload schema';
end
$$;
create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
"""


def set_up(server: embedded.Server) -> None:
    """Make the roles, and a database `project`, on a server that nothing has used yet."""
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as first:
        first.execute(f"create role {ADMIN} login superuser createdb createrole replication bypassrls")
    with psycopg.connect(server.dsn_for("postgres", ADMIN), autocommit=True) as admin:
        # The role owns what initdb made and cannot be dropped.
        admin.execute("alter role postgres rename to initial_superuser")
        admin.execute(ROLES.encode())
        admin.execute("create database project template template0 encoding 'UTF8'")
    with psycopg.connect(server.dsn_for("project", ADMIN), autocommit=True) as admin:
        admin.execute(DATABASE.encode())
