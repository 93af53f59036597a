"""Every function names its tenant itself, because no policy binds superusers and BYPASSRLS logins."""

from __future__ import annotations

import psycopg
import pytest
from core.isolation.test_calls import CALLS, COMPARED, ECHOED, run
from core.isolation.world import FINGERPRINT, PRIVATE, Connection, World

from support.api import ADMINISTRATIVE


def open_policies(connection: Connection) -> None:
    tables = connection.execute(
        "select oid::regclass::text from pg_class where relkind in ('r', 'p') and relrowsecurity"
        " and relnamespace = 'braid_store'::regnamespace"
    ).fetchall()
    assert len(tables) > 15
    for (table,) in tables:
        connection.execute(f"create policy open on {table} using (true) with check (true)")


def test_without_any_policy_every_function_keeps_to_its_tenant(world: World) -> None:
    admin = world.admin

    def fingerprint() -> object:
        return admin.execute(FINGERPRINT, {"id": world.tenant_ids["beta"]}).fetchone()

    def results() -> dict[str, tuple[str, str]]:
        # Each round is rolled back; otherwise the next one would count the searches that it logged.
        with admin.transaction(force_rollback=True):
            return {
                call: run(admin, world, call) for name, calls in CALLS.items() if name in COMPARED for call in calls
            }

    before = fingerprint()
    with admin.transaction(force_rollback=True):
        admin.execute("set local braid.tenant = 'alpha'")
        expected = results()
        open_policies(admin)
        assert "zebrafish" in str(admin.execute("select content from braid_store.chunks").fetchall())
        assert results() == expected
        tried = 0
        for name, calls in CALLS.items():
            if name in ADMINISTRATIVE:
                continue
            for call in calls:
                with admin.transaction(force_rollback=True):
                    text, _ = run(admin, world, call)
                    assert fingerprint() == before, call
                assert [word for word in PRIVATE if word in text and word not in ECHOED.get(name, ())] == [], call
                tried += 1
        assert tried > 40


@pytest.mark.parametrize("options", ["login superuser", "login bypassrls"])
def test_row_security_off_shows_no_more(world: World, options: str) -> None:
    """row_security = off shows no more rows: a query that a policy would filter raises an error."""
    login = world.role("all", "braid_writer", options=options)
    connection = world.connect(login, braid__tenant="alpha", row_security="off")
    tried = 0
    for name, calls in CALLS.items():
        if name in ADMINISTRATIVE:
            continue
        for call in calls:
            with connection.transaction(force_rollback=True):
                text, state = run(connection, world, call)
            assert [word for word in PRIVATE if word in text and word not in ECHOED.get(name, ())] == [], call
            assert state in ("00000", "42501", "42704"), text
            tried += 1
    assert tried > 40


# These errors end a session's own work, slow it down or make it read-only, and reveal nothing about tenants.
ABOUT_RESOURCES = {"25001", "25006", "54001", "57014", "53400", "55P03", "25P03", "0A000", "22023"}


@pytest.mark.any_version
def test_an_analyst_who_sets_everything_stays_the_same(world: World) -> None:
    login = world.role("analyst", "braid_writer")
    world.member("alpha", login)
    analyst = world.connect(login, statement_timeout="3min")
    values = analyst.execute(
        """
        select s.name, v.value
        from pg_settings s,
             unnest(case s.vartype when 'bool' then array['on', 'off'] when 'enum' then s.enumvals
                                   when 'string' then array['', 'beta', 'braid_owner', 'postgres', '1']
                                   else array[s.min_val, s.max_val] end) v (value)
        where s.context = 'user' and s.name !~ '^(client_encoding|statement_timeout|transaction_timeout|jit)'
        union all
        select n, v
        from unnest(array['braid.tenant', 'braid.tenant_id', 'request.jwt.claims', 'request.headers',
                          'request.jwt.claim.sub', 'role', 'session_authorization']) n,
             unnest(array['beta', '1', '{"role": "service_role", "app_metadata": {"tenant_id": "beta"}}',
                          '{"x-braid-tenant": "beta"}', 'braid_writer', 'braid_owner']) v
        """
    ).fetchall()
    assert len(values) > 200
    private = set()
    states = set()
    for name, value in values:
        try:
            with analyst.transaction(force_rollback=True):
                analyst.execute("select set_config(%s, %s, true)", (name, value))
                found = analyst.execute(
                    "select external_id, tenant_id from braid.full_text_search('discount zebrafish prices',"
                    " collection => 'small') s, braid.current_tenant_id() tenant_id"
                ).fetchall()
                assert {tenant for _, tenant in found} == {world.tenant_ids["alpha"]}, (name, value)
                private |= {row for row in found if row[0] not in ("doc1", "doc2", "doc3")}
                rows = analyst.execute("select d::text from braid.list_documents('small') d").fetchall()
                private |= {row for row in rows if any(word in str(row) for word in PRIVATE)}
        except psycopg.Error as error:
            assert not any(word in str(error) for word in PRIVATE), (name, value, error)
            states.add(error.sqlstate)
    assert private == set()
    assert states <= ABOUT_RESOURCES | {"42501", "22P02", "42704"}, states
