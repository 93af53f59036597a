"""Two databases of one cluster both have pgbraid, and each owner is not a superuser: trust ends at the database."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from core.isolation.attack.harness import Outcome, attack, prepare
from core.isolation.test_calls import CALLS
from psycopg import sql
from psycopg.conninfo import make_conninfo

from pgbraid import embedded
from pgbraid.embedded.programs import installed_programs
from pgbraid.errors import InstallationError
from pgbraid.install import install, uninstall
from support.roles import definer_role, owner_role

Connection = psycopg.Connection[Any]
SECRET = "zebrafish"


@dataclass(frozen=True)
class Database:
    name: str
    owner: str
    server: embedded.Server

    def dsn(self, login: str | None = None) -> str:
        return make_conninfo(self.server.dsn_for(self.name), user=login or self.owner)

    def connect(self, login: str | None = None, **settings: str) -> Connection:
        connection = psycopg.connect(self.dsn(login), autocommit=True)
        for name, value in settings.items():
            connection.execute("select set_config(%s, %s, false)", (name.replace("__", "."), value))
        return connection


@pytest.fixture(scope="module")
def admin(server: embedded.Server) -> Iterator[Connection]:
    with psycopg.connect(server.dsn_for("postgres"), autocommit=True) as connection:
        yield connection


@contextmanager
def making(admin: Connection, server: embedded.Server) -> Iterator[Callable[..., Database]]:
    """Yield a function: `make("shop")` creates a database with pgvector for a new login with CREATEROLE, and
    `make("copy", owner)` creates one for an existing login."""
    made: list[Database] = []

    def create(name: str, owner: str | None = None, template: str = "template1") -> Database:
        name = f"{name}_{uuid.uuid4().hex[:6]}"
        if owner is None:
            owner = f"owner_of_{name}"
            admin.execute(sql.SQL("create role {} login createrole").format(sql.Identifier(owner)))
        names = map(sql.Identifier, (name, owner, template))
        admin.execute(sql.SQL("create database {} owner {} template {}").format(*names))
        made.append(Database(name, owner, server))
        with made[-1].connect("postgres") as connection:
            connection.execute("create extension if not exists vector")
        # A superuser's install would have granted this: the owners of two applications then start as equals.
        for role in ("braid_reader", "braid_writer"):
            admin.execute(sql.SQL("grant {} to {} with admin option").format(*map(sql.Identifier, (role, owner))))
        return made[-1]

    admin.execute(
        "do $$ begin create role braid_reader; create role braid_writer in role braid_reader;"
        " exception when duplicate_object then null; end $$"
    )
    yield create
    suffixes = "|".join(database.name for database in made)
    for (name,) in admin.execute("select datname from pg_database where datname ~ %s", (suffixes,)).fetchall():
        admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
    roles = admin.execute("select rolname from pg_roles where rolname ~ %s", (suffixes,)).fetchall()
    for (role,) in roles:  # this removes what the roles have granted, too
        admin.execute(sql.SQL("drop owned by {} cascade").format(sql.Identifier(role)))
    for (role,) in roles:
        admin.execute(sql.SQL("drop role {}").format(sql.Identifier(role)))


@pytest.fixture
def make(admin: Connection, server: embedded.Server) -> Iterator[Callable[..., Database]]:
    with making(admin, server) as make:
        yield make


@pytest.fixture
def two(make: Callable[..., Database]) -> tuple[Database, Database]:
    return installed(make)


@pytest.fixture
def two_cores(make: Callable[..., Database]) -> tuple[Database, Database]:
    """Install the core alone, for tests of roles and not of functions."""
    return installed(make, only=["core"])


@pytest.fixture(scope="module")
def shared_two(admin: Connection, server: embedded.Server) -> Iterator[tuple[Database, Database]]:
    """Yield two installed databases for all tests that leave them unchanged, because two installs take longer than
    most tests."""
    with making(admin, server) as make:
        yield installed(make)


def installed(make: Callable[..., Database], only: Sequence[str] = ()) -> tuple[Database, Database]:
    """Make two databases that their owners install, each with a document of a tenant."""
    databases = make("one"), make("two")
    for database in databases:
        install(database.dsn(), only=only)
        with database.connect() as owner:
            owner.execute("select braid.create_tenant('victim')")
            owner.execute("set braid.tenant = 'victim'")
            owner.execute("select braid.upsert_document('doc', %s)", (f"The {SECRET} contract of {database.name}",))
            owner.execute("select braid.create_collection('secret plans', dimensions => 3)")
            owner.execute("select braid.set_synonyms('car', '{auto}')")
    return databases


def assert_refused(outcome: Outcome) -> None:
    """Check that a call raised 42501 (or 42P01 and the like, for absent objects), or showed and changed nothing."""
    # Wrong arguments and read-only views may raise other errors.
    assert outcome.state in {"00000", "42501", "22023", "42704", "0A000", "55000"}, outcome
    if outcome.state == "00000":
        assert SECRET not in outcome.said and "secret plans" not in outcome.said, outcome
        shown = set(outcome.said.splitlines()) - {"", "[]", "{}", "0", "f"}
        assert not (outcome.statement.startswith("select") and "braid_store." in outcome.statement and shown), outcome


def attack_all(victim: Database, login: str) -> None:
    """Try every function and every table of the database, as this login and as each role that it can become."""
    with victim.connect(login) as connection:
        prepare(connection)
        roles = [
            name
            for (name,) in connection.execute(
                "select rolname from pg_roles where pg_has_role(oid, 'SET') and not rolsuper order by 1"
            )
        ]
        relations = [
            name
            for (name,) in connection.execute(
                "select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid ="
                " c.relnamespace where n.nspname in ('braid', 'braid_store') and c.relkind in ('r', 'v', 'p')"
            )
        ]
        statements = [
            statement
            for relation in relations
            for statement in (f"select count(*)::text from {relation}", f"delete from {relation} returning 1")
        ]
        for calls in CALLS.values():
            for call in calls:
                call = call.replace(":beta_chunks", "'{1,2,3}'::bigint[]").replace("@vector@.", "")
                statements.append(f"select r::text from (select * from {call}) r")
        statements += [
            "select braid_store.insert_tenant('mine')",
            "select braid_store.set_tenant_member('victim', session_user::text, true)",
            "select braid_store.set_trusted_role(session_user::text, 'service', true)",
            "select braid_store.set_trusted_role(session_user::text, 'administrator', true)",
        ]
        for role in roles:
            connection.execute(sql.SQL("set role {}").format(sql.Identifier(role)))
            connection.execute("select set_config('braid.tenant', 'victim', false)")
            outcomes = list(attack(connection, statements))
            assert len(outcomes) == len(statements)
            for outcome in outcomes:
                assert_refused(outcome)


KINDS = ("owner", "definer", "administrator", "gateway", "service", "reader", "writer")


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_login_is_in_one_database_it_is_not_in_another(
    shared_two: tuple[Database, Database], admin: Connection, kind: str
) -> None:
    one, other = shared_two
    login = f"a_{kind}_of_{one.name}"
    name = sql.Identifier(login)
    admin.execute(sql.SQL("create role {} login").format(name))
    admin.execute(sql.SQL("grant braid_writer to {}").format(name))
    with one.connect("postgres") as connection:
        if kind in ("owner", "definer"):
            role = {"owner": owner_role, "definer": definer_role}[kind](connection)
            grant = sql.SQL("grant {} to {} with inherit true, set true")
            connection.execute(grant.format(sql.Identifier(role), name))
        elif kind in ("administrator", "gateway", "service"):
            connection.execute("select braid.add_trusted_role(%s, %s)", (login, kind))
        connection.execute("select braid.add_tenant_member('victim', %s)", (login,))
    claims = '{"sub": "x", "app_metadata": {"tenant_id": "victim"}}'
    with one.connect(login, braid__tenant="victim", request__jwt__claims=claims) as connection:
        found = connection.execute("select content from braid.full_text_search(%s)", (SECRET,)).fetchall()
        assert [SECRET in text for (text,) in found] == [True]
    attack_all(other, login)
    with other.connect(login, braid__tenant="victim", request__jwt__claims=claims) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege) as caught:
            connection.execute("select * from braid.full_text_search(%s)", (SECRET,))
        assert caught.value.diag.message_hint
        assert connection.execute("select name from braid.collections").fetchall() == []
        assert connection.execute("select braid.version()").fetchall() == [(None,)]


def test_the_installers_hint_gives_nothing_in_another_database(
    two: tuple[Database, Database], make: Callable[..., Database], admin: Connection
) -> None:
    one, other = two
    third = make("third", one.owner)
    install(third.dsn("postgres"))
    with pytest.raises(InstallationError, match="may not act for it") as caught:
        install(third.dsn())
    assert caught.value.hint is not None
    admin.execute(caught.value.hint.removeprefix("Have the role's creator run: "))
    assert install(third.dsn()).member_added
    attack_all(other, one.owner)


def test_an_owner_gains_nothing_elsewhere(shared_two: tuple[Database, Database]) -> None:
    one, other = shared_two
    attack_all(other, one.owner)
    attack_all(one, other.owner)


def test_a_role_made_beforehand_is_not_taken_for_the_databases_own(
    make: Callable[..., Database], two_cores: tuple[Database, Database]
) -> None:
    """A role that existed before is not taken for the database's own role, because its creator could act as it."""
    mallory = two_cores[0]
    victim = make("victim")
    with mallory.connect() as connection:
        connection.execute(sql.SQL("create role {}").format(sql.Identifier(f"braid_owner_{victim.name}")))
    for dsn in (victim.dsn(), victim.dsn("postgres")):
        with pytest.raises(InstallationError, match="is there already") as caught:
            install(dsn, only=["core"])
        assert mallory.owner in caught.value.message and "drop role" in str(caught.value.hint)
    with victim.connect("postgres") as connection:
        connection.execute(sql.SQL("drop role {}").format(sql.Identifier(f"braid_owner_{victim.name}")))
    assert install(victim.dsn(), only=["core"]).changed


def roles_here(database: Database) -> tuple[str, str]:
    with database.connect("postgres") as connection:
        assert connection.execute(
            "select count(distinct c.relowner) from pg_class c where c.relnamespace::regnamespace::text = 'braid_store'"
        ).fetchone() == (1,)
        return owner_role(connection), definer_role(connection)


def finds(database: Database, login: str | None = None) -> bool:
    with database.connect(login, braid__tenant="victim") as connection:
        rows = connection.execute("select content from braid.full_text_search(%s)", (SECRET,)).fetchall()
        connection.execute("select braid.upsert_document('new', 'a new one')")
    return len(rows) == 1


def test_a_copy_of_a_database_gets_roles_of_its_own(
    two: tuple[Database, Database], make: Callable[..., Database], server: embedded.Server
) -> None:
    one, _ = two
    with one.connect() as connection:
        connection.execute("select braid.add_tenant_member('victim', 'postgres')")
    copy = make("copy", template=one.name)
    assert roles_here(copy) == roles_here(one)
    assert finds(copy, "postgres")
    with pytest.raises(InstallationError, match="may not act") as caught:
        install(copy.dsn())  # its owner has no rights on the original's roles
    assert caught.value.hint
    install(copy.dsn("postgres"))
    assert roles_here(copy) == (f"braid_owner_{copy.name}", f"braid_definer_{copy.name}")
    assert finds(copy, "postgres") and finds(one)
    # The copy contains the memberships.
    with copy.connect("postgres") as connection:
        for tenant in ("victim", "default"):
            connection.execute("select braid.remove_tenant_member(%s, %s)", (tenant, one.owner))
    attack_all(copy, one.owner)
    assert not install(copy.dsn("postgres")).changed
    assert not install(one.dsn()).changed


def test_a_renamed_database_goes_on_and_gets_roles_of_its_own(
    two_cores: tuple[Database, Database], admin: Connection
) -> None:
    one, _ = two_cores
    before = roles_here(one)
    renamed = Database(f"{one.name}_2", one.owner, one.server)
    admin.execute(sql.SQL("alter database {} rename to {}").format(*map(sql.Identifier, (one.name, renamed.name))))
    assert finds(renamed)
    # A new database of the old name must not share roles with the renamed one.
    admin.execute(sql.SQL("create database {} owner {}").format(*map(sql.Identifier, (one.name, one.owner))))
    with one.connect("postgres") as connection:
        connection.execute("create extension vector")
    with pytest.raises(InstallationError, match=f"owns objects of database {renamed.name}"):
        install(one.dsn())
    assert install(renamed.dsn()).functions_applied
    assert roles_here(renamed) == tuple(f"{role}_2" for role in before)
    assert finds(renamed)
    assert install(one.dsn(), only=["core"]).changed
    assert not install(renamed.dsn()).changed
    assert uninstall(renamed.dsn()).roles_kept == "another database of this server uses these roles"
    assert admin.execute("select count(*) from pg_roles where rolname ~ %s", (f"{renamed.name}$",)).fetchone() == (0,)


@pytest.mark.parametrize("by", ["owner", "superuser"])
def test_a_restored_dump_refuses_until_it_is_installed(
    two_cores: tuple[Database, Database], make: Callable[..., Database], pg_version: int, tmp_path: Any, by: str
) -> None:
    one, _ = two_cores
    with one.connect() as connection:
        connection.execute("create role " + f"member_of_{one.name} login in role braid_writer")
        connection.execute("select braid.add_tenant_member('victim', %s)", (f"member_of_{one.name}",))
    member = f"member_of_{one.name}"
    programs = installed_programs(pg_version)
    ran = subprocess.run([programs / "pg_dump", one.dsn("postgres")], check=True, capture_output=True, text=True)
    dump = ran.stdout
    if by == "superuser":
        # The dump is restored into a cluster without the roles.
        roles = roles_here(one)
        dump = dump.replace(roles[0], "braid_owner_gone").replace(roles[1], "braid_definer_gone")
    restored = make("restored")
    login = restored.owner if by == "owner" else "postgres"
    subprocess.run(
        [programs / "psql", "--quiet", "--no-psqlrc", "--output=/dev/null", restored.dsn(login)],
        input=dump,
        capture_output=True,
        check=True,
        text=True,
    )
    with restored.connect(member, braid__tenant="victim") as connection:
        for call in ("full_text_search('x')", "upsert_document('x', 'y')", "status()", "delete_document('doc')"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege) as caught:
                connection.execute(f"select braid.{call}")
            assert "pgbraid init" in str(caught.value.diag.message_hint), call
    install(restored.dsn(login))
    assert finds(restored, member)
    assert roles_here(restored) == (f"braid_owner_{restored.name}", f"braid_definer_{restored.name}")
    assert not install(restored.dsn(login)).changed


def test_uninstalling_takes_the_databases_own_roles_along(
    two_cores: tuple[Database, Database], admin: Connection
) -> None:
    one, other = two_cores
    assert uninstall(one.dsn()).roles_kept == "another database of this server uses these roles"
    own = f"^braid_(owner|definer)_({one.name}|{other.name})$"
    left = admin.execute("select rolname from pg_roles where rolname ~ %s", (own,)).fetchall()
    assert {role for (role,) in left} == {f"braid_owner_{other.name}", f"braid_definer_{other.name}"}
    assert finds(other)
