"""Test the findings of braid.health for the owner of a project, who is no superuser, and for its users."""

from __future__ import annotations

import json

import psycopg
from psycopg.conninfo import make_conninfo

OF_TESTS = {"fsync_off", "full_page_writes_off"}


def test_the_owner_of_a_project(installed: str) -> None:
    with psycopg.connect(installed, autocommit=True) as owner:

        def codes() -> set[str]:
            return {code for (code,) in owner.execute("select code from braid.health()")} - OF_TESTS

        assert codes() == set()
        name = owner.info.dbname
        owner.execute(f"alter role authenticator in database {name} set pgrst.db_schemas = 'braid, braid_store'")
        owner.execute("grant select on braid_store.documents to anon")
        assert codes() == {"schema_exposed", "granted_to_others"}
        for (command,) in owner.execute("select command from braid.health() where code <> all (%s)", (list(OF_TESTS),)):
            for line in command.splitlines():
                owner.execute(line.encode())
        assert codes() == set()
        owner.execute("select braid.create_tenant('acme')")

    def request(role: str, **claims: object) -> list[str]:
        with psycopg.connect(make_conninfo(installed, user="authenticator")) as connection:
            connection.execute(
                "select set_config('role', %s, true), set_config('request.jwt.claims', %s, true)",
                (role, json.dumps({"role": role, **claims})),
            )
            return [code for (code,) in connection.execute("select code from braid.health('0 seconds')")]

    with psycopg.connect(installed, autocommit=True) as owner:
        owner.execute("grant braid_writer to authenticated with inherit true")
        assert request("authenticated", app_metadata={"tenant_id": "acme"}) == []
        owner.execute("revoke braid_writer from authenticated")
    assert set(request("service_role")) >= OF_TESTS
