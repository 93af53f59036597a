"""The rules of Supabase's advisor (supabase/splinter) at WARN and ERROR, where `braid` is exposed and
every login of the
API has the most that an application is granted. Each rule is also shown to report what breaks it."""

from __future__ import annotations

from typing import Any

import pytest

API_ROLE = "braid_writer"
OURS = "('braid', 'braid_store')"
READABLE = (
    f"has_any_column_privilege('{API_ROLE}', c.oid, 'SELECT') or has_table_privilege('{API_ROLE}', c.oid, 'SELECT')"
)

# Lint: the query that finds offenders, and a statement that makes one.
LINTS = {
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
        f"""select c.relname from pg_policy p join pg_class c on c.oid = p.polrelid
            where c.relnamespace::regnamespace::text in {OURS} and p.polpermissive
            group by c.relname having count(*) > 1""",
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
            and not exists (select from unnest(p.proconfig) s where s like 'search\\_path=%')""",
        "alter function braid.version() reset search_path",
    ),
    "0013_rls_disabled_in_public": (
        f"""select c.relname from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'braid'::regnamespace
            and not c.relrowsecurity and ({READABLE})""",
        f"create table braid.exposed (); grant select on braid.exposed to {API_ROLE}",
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
        f"create materialized view braid.copy as select 1 as a; grant select on braid.copy to {API_ROLE}",
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
        f"create table braid.users (password text); grant select on braid.users to {API_ROLE}",
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
        f"""select p.proname from pg_proc p where p.pronamespace = 'braid'::regnamespace and p.prosecdef
            and has_function_privilege('{API_ROLE}', p.oid, 'EXECUTE')""",
        "alter function braid.version() security definer",
    ),
}


@pytest.mark.parametrize("lint", LINTS)
def test_the_advisor_has_nothing_to_say(catalog: Any, lint: str) -> None:
    assert catalog.execute(LINTS[lint][0]).fetchall() == []


@pytest.mark.parametrize("lint", LINTS)
def test_the_rule_reports_what_breaks_it(catalog: Any, lint: str) -> None:
    query, breaks = LINTS[lint]
    with catalog.transaction(force_rollback=True):
        catalog.execute(breaks)
        assert len(catalog.execute(query).fetchall()) == 1


def test_extension_and_reference_objects_stay_out_of_the_api_schema(catalog: Any) -> None:
    rows = catalog.execute(
        "select extname from pg_extension where extnamespace::regnamespace::text in ('braid', 'braid_store')"
    )
    assert rows.fetchall() == []
