"""Define the rules of Supabase's advisor (supabase/splinter) at WARN and ERROR that can apply if `braid` is exposed.
Rules for other products' objects, such as pgmq's queues and storage's buckets, are left out."""

from __future__ import annotations

from typing import Any

Lints = dict[str, tuple[str, str]]

OURS = "('braid', 'braid_calls', 'braid_store')"
READABLE = "has_any_column_privilege(':role', c.oid, 'SELECT') or has_table_privilege(':role', c.oid, 'SELECT')"


def offenders(connection: Any, query: str, role: str) -> list[Any]:
    """Return what a rule reports if the API's logins have this role."""
    return list(connection.execute(query.replace(":role", role)).fetchall())


# For each lint, a query that finds offenders and a statement that makes one.
LINTS: Lints = {
    "0003_auth_rls_initplan": (
        f"""select p.polname from pg_policy p join pg_class c on c.oid = p.polrelid,
            lateral (select lower(concat(pg_get_expr(p.polqual, p.polrelid), ' ',
                                         pg_get_expr(p.polwithcheck, p.polrelid))) as text) e
            where c.relnamespace::regnamespace::text in {OURS}
              and e.text ~ '(auth\\.\\w+|current_setting)\\(' and e.text !~ 'select
              (auth\\.\\w+|current_setting)\\('""",
        "alter policy tenant_isolation on braid_store.documents using (tenant_id ="
        " current_setting('braid.tenant')::int)",
    ),
    "0006_multiple_permissive_policies": (
        f"""select distinct c.relname from pg_policy p join pg_class c on c.oid = p.polrelid
            join pg_roles r on p.polroles = '{{0}}' or r.oid = any (p.polroles)
            where c.relnamespace::regnamespace::text in {OURS} and p.polpermissive
            group by c.relname, r.oid having count(*) > 1""",
        "create policy another on braid_store.documents using (false)",
    ),
    "0007_policy_exists_rls_disabled": (
        f"""select c.relname from pg_class c where c.relnamespace::regnamespace::text in {OURS} and not c.relrowsecurity
            and exists (select from pg_policy p where p.polrelid = c.oid)""",
        "alter table braid_store.documents disable row level security",
    ),
    "0009_duplicate_index": (
        f"""select i.indrelid::regclass from pg_index i join pg_class c on c.oid = i.indexrelid
            where c.relnamespace::regnamespace::text in {OURS}
            group by i.indrelid, regexp_replace(pg_get_indexdef(i.indexrelid), ' INDEX .* ON ', '') having
            count(*) > 1""",
        "create index twice on braid_store.chunks (tenant_id, collection_id, speaker)",
    ),
    "0010_security_definer_view": (
        f"""select c.relname from pg_class c where c.relkind = 'v' and c.relnamespace = 'braid'::regnamespace
            and ({READABLE}) and not coalesce(lower(c.reloptions::text) ~ 'security_invoker=(true|on|1|yes)', false)""",
        "alter view braid.collections set (security_invoker = false)",
    ),
    "0011_function_search_path_mutable": (
        f"""select p.proname from pg_proc p where p.pronamespace::regnamespace::text in {OURS}
            and not exists (select from unnest(p.proconfig) s where s like 'search\\_path=%')
            and p.proname <> 'run_maintenance'  -- a procedure that commits cannot set its search_path
            """,
        "alter function braid.version() reset search_path",
    ),
    "0013_rls_disabled_in_public": (
        f"""select c.relname from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'braid'::regnamespace
            and not c.relrowsecurity and ({READABLE})""",
        "create table braid.exposed (); grant select on braid.exposed to :role",
    ),
    "0015_rls_references_user_metadata": (
        f"""select c.relname from pg_policy p join pg_class c on c.oid = p.polrelid
            where c.relnamespace::regnamespace::text in {OURS}
              and concat(pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) ~ 'user_meta'""",
        "alter policy tenant_isolation on braid_store.documents using (metadata ? 'user_metadata')",
    ),
    "0016_0017_materialized_view_or_foreign_table_in_api": (
        f"""select c.relname from pg_class c where c.relkind in ('m', 'f') and c.relnamespace = 'braid'::regnamespace
            and ({READABLE})""",
        "create materialized view braid.copy as select 1 as a; grant select on braid.copy to :role",
    ),
    "0018_unsupported_reg_types": (
        f"""select c.relname || '.' || a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace::regnamespace::text in {OURS} and c.relkind in ('r', 'p', 'c', 'v') and a.attnum > 0
              and a.atttypid::regtype::text in ('regcollation', 'regconfig', 'regdictionary', 'regnamespace', 'regoper',
                'regoperator', 'regproc', 'regprocedure', 'regclass', 'regrole', 'regtype')""",
        "alter table braid_store.collections add column config regconfig",
    ),
    "0023_sensitive_columns_exposed": (
        f"""select c.relname || '.' || a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
            and a.attnum > 0
            where c.relkind in ('r', 'p') and c.relnamespace = 'braid'::regnamespace and not
            c.relrowsecurity and ({READABLE})
              and a.attname ~ '(password|passwd|secret|token|api_?key|ssn|credit_?card)'""",
        "create table braid.users (password text); grant select on braid.users to :role",
    ),
    "0024_rls_policy_always_true": (
        f"""select c.relname from pg_policy p join pg_class c on c.oid = p.polrelid
            where c.relnamespace::regnamespace::text in {OURS} and p.polpermissive and p.polcmd <> 'r'
              and 'true' in (coalesce(pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck,
              p.polrelid), 'true'),
                             pg_get_expr(p.polwithcheck, p.polrelid))""",
        "alter policy tenant_isolation on braid_store.documents using (true)",
    ),
    "0028_0029_security_definer_executable": (
        """select p.proname from pg_proc p where p.pronamespace = 'braid'::regnamespace and p.prosecdef
            and has_function_privilege(':role', p.oid, 'EXECUTE')""",
        "alter function braid.version() security definer",
    ),
    "0021_fkey_to_auth_unique": (
        f"""select conname from pg_constraint c join pg_class t on t.oid = c.confrelid
            where c.contype = 'f' and c.connamespace::regnamespace::text in {OURS}
              and t.relnamespace::regnamespace::text not in {OURS}""",
        "create table public.users (id int unique);"
        " alter table braid_store.tenants add foreign key (id) references public.users (id) not valid",
    ),
    "0030_invalid_index": (
        f"""select i.indexrelid::regclass from pg_index i join pg_class c on c.oid = i.indexrelid
            where not i.indisvalid and i.indisready and c.relnamespace::regnamespace::text in {OURS}""",
        "update pg_index set indisvalid = false where indexrelid = 'braid_store.tenants_key_key'::regclass",
    ),
    "0030_rls_policy_null_auth_disjunct": (
        f"""select p.polname from pg_policy p join pg_class c on c.oid = p.polrelid
            where c.relnamespace::regnamespace::text in {OURS} and p.polpermissive and p.polcmd in ('r', '*')
              and lower(pg_get_expr(p.polqual, p.polrelid)) ~ '(auth\\.\\w+|current_setting)\\([^)]*\\) is null'""",
        "alter policy tenant_isolation on braid_store.documents using (current_setting('a.b', true) is null"
        " or tenant_id = (select braid_calls.session_tenant_id()))",
    ),
}
# These lints examine a whole project as Supabase sets it up, to see what an installation adds.
PROJECT_LINTS: Lints = {
    "0002_auth_users_exposed": (
        """select c.relname from pg_class c join pg_rewrite r on r.ev_class = c.oid
           join pg_depend d on d.objid = r.oid and d.refobjid = to_regclass('auth.users')
           where c.relkind in ('v', 'm') and c.relnamespace in ('braid'::regnamespace, 'public'::regnamespace)""",
        "create table auth.users (id int); create view public.people as select * from auth.users",
    ),
    "0014_extension_in_public": (
        "select extname from pg_extension where extnamespace = 'public'::regnamespace",
        "drop extension vector cascade; create extension vector schema public",
    ),
    "0022_extension_versions_outdated": (
        "select name from pg_available_extensions where installed_version <> default_version",
        "update pg_extension set extversion = '0.7.0' where extname = 'vector'",
    ),
    "0026_pg_graphql_anon_table_exposed": (
        # The rule is checked as if pg_graphql were installed.
        f"""select c.oid::regclass from pg_class c where c.relkind in ('r', 'p', 'v', 'm')
            and has_table_privilege('anon', c.oid, 'SELECT') and c.relnamespace::regnamespace::text in {OURS}""",
        "grant select on braid_store.documents to anon",
    ),
}
