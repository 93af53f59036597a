"""A session's tenant follows from its login: four kinds of login exist, and none can reach another tenant by its own
claim."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from core.isolation.world import Connection, Gateway, World, tenant_claims

from support.api import example, runs
from support.calls import one
from support.parts import is_installed
from support.roles import definer_role, owner_role


def tenant(connection: Connection) -> str | None:
    """Return the key of the session's tenant, as an API function reports it."""
    try:
        return str(one(connection, "select braid.status() ->> 'tenant'"))
    except psycopg.errors.InsufficientPrivilege as error:
        assert error.diag.message_hint, error
        assert "tenant" in str(error)
        return None


def ask(gateway: Gateway, role: str, claims: Any = None, headers: Any = None) -> str | None:
    try:
        with gateway.request(role, claims, headers) as connection:
            return str(one(connection, "select braid.status() ->> 'tenant'"))
    except psycopg.errors.InsufficientPrivilege as error:
        assert "tenant" in str(error) and error.diag.message_hint
        return None


@pytest.fixture
def settings(world: World) -> Iterator[Connection]:
    """Yield the administrator's session, and undo its changes to the access settings."""
    before = world.admin.execute("select s::text from braid_store.access_settings s").fetchone()
    yield world.admin
    world.admin.execute(
        "update braid_store.access_settings s set (claim_path, tenant_header, trusted_claim_roles, public_tenant_id) ="
        " (select o.claim_path, o.tenant_header, o.trusted_claim_roles, o.public_tenant_id"
        "  from (select (%s::braid_store.access_settings).*) o)",
        before,
    )


class TestEverythingReaders:
    """Superusers and BYPASSRLS logins use the setting, then claims, then their own memberships."""

    @pytest.mark.parametrize("options", ["login superuser", "login bypassrls"])
    def test_setting_then_claims_then_membership(self, world: World, options: str) -> None:
        login = world.role("all", "braid_reader", options=options)
        connection = world.connect(login)
        # A superuser is a member of every role, so memberships name no tenant.
        assert tenant(connection) is None
        connection.execute('set request.jwt.claims = \'{"app_metadata": {"tenant_id": "beta"}}\'')
        assert tenant(connection) == "beta"
        connection.execute("set braid.tenant = 'alpha'")
        assert tenant(connection) == "alpha"
        connection.execute("set braid.tenant = 'nobody'")
        assert tenant(connection) is None
        connection.execute("set braid.tenant = ''; set request.jwt.claims = ''")
        world.member("beta", login)
        assert tenant(connection) == "beta"

    def test_a_group_does_not_make_a_superuser_a_member(self, world: World) -> None:
        group = world.role("group", options="nologin")
        world.member("alpha", group)
        assert tenant(world.connect(world.role("root", options="login superuser"))) is None

    def test_the_installer_is_a_member_of_default(self, world: World) -> None:
        # The administrator has created alpha and beta too, but default wins.
        assert tenant(world.connect("postgres")) == "default"


class TestGateway:
    """PostgREST's login uses verified claims, and nothing else."""

    def test_the_claim_names_the_tenant(self, gateway: Gateway) -> None:
        assert ask(gateway, gateway.authenticated, tenant_claims("alpha")) == "alpha"
        assert ask(gateway, gateway.authenticated, tenant_claims("beta")) == "beta"

    def test_user_metadata_is_never_looked_at(self, gateway: Gateway) -> None:
        assert ask(gateway, gateway.authenticated, {"sub": "x", "user_metadata": {"tenant_id": "beta"}}) is None

    @pytest.mark.parametrize(
        "claims",
        [
            {"sub": "x"},
            {"sub": "x", "app_metadata": {}},
            {"sub": "x", "app_metadata": {"tenant_id": None}},
            {"sub": "x", "app_metadata": {"tenant_id": ""}},
            {"sub": "x", "app_metadata": {"tenant_id": "nobody"}},
            {"sub": "x", "app_metadata": {"tenant_id": ["alpha"]}},
            {"sub": "x", "app_metadata": {"tenant_id": {"key": "alpha"}}},
            {"sub": "x", "app_metadata": ["alpha"]},
            {"sub": "x", "app_metadata": "alpha"},
            {"sub": "x", "app_metadata": {"tenant_id": " alpha"}},
            {"sub": "x", "app_metadata": {"tenant_id": "ALPHA"}},
            {"sub": "x", "app_metadata": {"tenant_id": "alpha' or '1'='1"}},
        ],
    )
    def test_other_claims_name_none(self, gateway: Gateway, claims: dict[str, Any]) -> None:
        assert ask(gateway, gateway.authenticated, claims) is None

    @pytest.mark.parametrize("claims", ["", "{", "null", "[]", '"alpha"', "17", "not json", '{"app_metadata": '])
    def test_malformed_claims_name_none(self, gateway: Gateway, claims: str) -> None:
        assert ask(gateway, gateway.authenticated, claims) is None

    def test_settings_decide_nothing(self, gateway: Gateway) -> None:
        with gateway.request(gateway.authenticated, tenant_claims("alpha")) as connection:
            connection.execute("set local braid.tenant = 'beta'")
            assert tenant(connection) == "alpha"
        with gateway.request(gateway.authenticated, {"sub": "x"}) as connection:
            connection.execute("set local braid.tenant = 'beta'")
            assert connection.execute("select braid.current_tenant_id()").fetchone() == (None,)

    def test_a_trusted_role_names_the_tenant_by_header(self, gateway: Gateway) -> None:
        assert ask(gateway, gateway.service_role, {}, {"x-braid-tenant": "beta"}) == "beta"
        assert ask(gateway, gateway.service_role, tenant_claims("alpha"), {"x-braid-tenant": "beta"}) == "beta"
        assert ask(gateway, gateway.service_role, tenant_claims("alpha")) == "alpha"
        assert ask(gateway, gateway.service_role, {}, {}) is None
        assert ask(gateway, gateway.service_role, {}, {"x-braid-tenant": "nobody"}) is None

    def test_the_header_of_another_role_is_ignored(self, gateway: Gateway) -> None:
        header = {"x-braid-tenant": "beta"}
        assert ask(gateway, gateway.authenticated, tenant_claims("alpha"), header) == "alpha"
        assert ask(gateway, gateway.authenticated, {"sub": "x"}, header) is None
        assert ask(gateway, gateway.anon, None, header) is None

    @pytest.mark.parametrize("headers", ["", "{", "[]", '"x-braid-tenant"', "null"])
    def test_malformed_headers_name_none(self, gateway: Gateway, headers: str) -> None:
        assert ask(gateway, gateway.service_role, {}, headers) is None

    def test_the_claim_is_found_where_settings_say(self, gateway: Gateway, settings: Connection) -> None:
        settings.execute("select braid.set_access(claim_path => '{sub}')")
        assert ask(gateway, gateway.authenticated, {"sub": "beta"}) == "beta"
        assert ask(gateway, gateway.authenticated, {"sub": "x", "app_metadata": {"tenant_id": "alpha"}}) is None
        settings.execute("select braid.set_access(claim_path => '{org,ids,0}', tenant_header => 'X-Org')")
        assert ask(gateway, gateway.authenticated, {"sub": "x", "org": {"ids": ["alpha"]}}) == "alpha"
        assert ask(gateway, gateway.service_role, {}, {"x-org": "beta"}) == "beta"

    def test_the_public_tenant_is_for_requests_without_a_token(self, gateway: Gateway, settings: Connection) -> None:
        assert ask(gateway, gateway.anon) is None
        settings.execute("select braid.set_access(public_tenant => 'alpha')")
        assert ask(gateway, gateway.anon) == "alpha"
        assert ask(gateway, gateway.anon, "") == "alpha"
        for claims in ("null", "[]", '"beta"', "17", "{"):
            assert ask(gateway, gateway.anon, claims) is None, claims
        assert ask(gateway, gateway.authenticated, tenant_claims("beta")) == "beta"
        assert ask(gateway, gateway.authenticated, {"sub": "x"}) is None
        assert ask(gateway, gateway.authenticated, {"sub": "x", "app_metadata": {"tenant_id": "nobody"}}) is None
        settings.execute("select braid.set_access(public_tenant => '')")
        assert ask(gateway, gateway.anon) is None

    @pytest.mark.parametrize(
        "arguments",
        [
            "claim_path => '{user_metadata,tenant_id}'",
            "claim_path => '{raw_user_meta_data,tenant}'",
            "claim_path => '{}'",
        ],
    )
    def test_claims_that_users_write_are_refused(self, settings: Connection, arguments: str) -> None:
        with pytest.raises(psycopg.errors.InvalidParameterValue) as caught:
            settings.execute(f"select braid.set_access({arguments})")
        assert caught.value.diag.message_hint

    def test_a_token_without_a_user_only_reads_the_public_tenant(self, gateway: Gateway, settings: Connection) -> None:
        settings.execute("select braid.set_access(public_tenant => 'alpha')")
        claims: dict[str, Any] = {"app_metadata": {}}
        with gateway.request(gateway.authenticated, claims, read_only=False) as connection:
            found = one(connection, "select count(*) from braid.full_text_search('discount', collection => 'small')")
            assert found > 0
        for name in sorted(runs("writer") - {"check_index", "export_tenant"}):
            with (
                pytest.raises(psycopg.errors.InsufficientPrivilege) as caught,
                gateway.request(gateway.authenticated, claims, read_only=False) as connection,
            ):
                connection.execute(f"select * from {example(name)}")
            assert caught.value.diag.message_hint, name

    def test_a_gateway_that_is_a_member_too_goes_by_the_claim(self, world: World, gateway: Gateway) -> None:
        world.admin.execute("select braid.add_tenant_member('beta', %s)", (gateway.login,))
        with gateway.request(gateway.authenticated, tenant_claims("alpha")) as connection:
            connection.execute("set local braid.tenant = 'beta'")
            assert tenant(connection) == "alpha"

    def test_an_unknown_public_tenant_is_refused(self, settings: Connection) -> None:
        with pytest.raises(psycopg.errors.UndefinedObject, match="nobody"):
            settings.execute("select braid.set_access(public_tenant => 'nobody')")

    def test_without_inheritance_of_the_role_a_login_is_no_gateway(self, world: World) -> None:
        group = world.role("gateways", "gateway", options="nologin")
        login = world.role(
            "noinherit", f"{group} with inherit false", "braid_reader with inherit true", options="login noinherit"
        )
        assert (
            tenant(world.connect(login, request__jwt__claims='{"sub": "x", "app_metadata": {"tenant_id": "alpha"}}'))
            is None
        )


class TestService:
    """A trusted back end chooses its tenant by the setting."""

    def test_the_setting_names_the_tenant(self, world: World) -> None:
        login = world.role("service", "braid_reader", "service")
        connection = world.connect(login)
        assert tenant(connection) is None
        for key in ("alpha", "beta"):
            connection.execute("select set_config('braid.tenant', %s, false)", (key,))
            assert tenant(connection) == key
        connection.execute("set braid.tenant = 'nobody'")
        assert tenant(connection) is None

    def test_claims_decide_nothing(self, world: World) -> None:
        login = world.role("service", "braid_reader", "service")
        assert tenant(world.connect(login, request__jwt__claims='{"app_metadata": {"tenant_id": "alpha"}}')) is None


class TestAnalyst:
    """Any other login uses its memberships, and the setting chooses among them."""

    def test_without_a_membership_there_is_no_tenant(self, world: World) -> None:
        login = world.role("ana", "braid_writer")
        for setting in ("", "alpha", "default"):
            assert tenant(world.connect(login, braid__tenant=setting)) is None
        assert tenant(world.connect(login, request__jwt__claims='{"app_metadata": {"tenant_id": "alpha"}}')) is None

    def test_one_membership_decides(self, world: World) -> None:
        login = world.role("ana", "braid_reader")
        world.member("alpha", login)
        assert tenant(world.connect(login)) == "alpha"
        assert tenant(world.connect(login, braid__tenant="alpha")) == "alpha"
        assert tenant(world.connect(login, braid__tenant="beta")) is None
        claims = '{"role": "service_role", "app_metadata": {"tenant_id": "beta"}}'
        headers = '{"x-braid-tenant": "beta"}'
        assert tenant(world.connect(login, request__jwt__claims=claims, request__headers=headers)) == "alpha"

    def test_of_several_the_setting_chooses(self, world: World) -> None:
        login = world.role("ana", "braid_reader")
        world.member("alpha", login)
        world.member("beta", login)
        assert tenant(world.connect(login)) is None
        assert tenant(world.connect(login, braid__tenant="beta")) == "beta"
        world.member("default", login)
        assert tenant(world.connect(login)) == "default"

    def test_a_group_role_counts_if_it_is_inherited(self, world: World) -> None:
        group = world.role("team", options="nologin")
        world.member("beta", group)
        member = world.role("ana", "braid_reader", f"{group} with inherit true")
        assert tenant(world.connect(member)) == "beta"
        merely = world.role("bob", "braid_reader", f"{group} with inherit false, set true", options="login noinherit")
        world.admin.execute(f"grant braid_reader to {merely} with inherit true")
        connection = world.connect(merely)
        assert tenant(connection) is None
        connection.execute(f"set role {group}")
        assert connection.execute("select session_user::text, current_user::text").fetchone() == (merely, group)
        world.admin.execute(f"grant braid_reader to {group}")
        assert tenant(connection) is None

    def test_who_creates_a_role_does_not_share_its_membership(self, world: World) -> None:
        creator = world.role("creator", "braid_reader", options="login createrole")
        connection = world.connect(creator)
        made = f"{creator}_made"
        connection.execute(f"create role {made} login")
        try:
            world.member("beta", made)
            assert tenant(connection) is None
        finally:
            world.admin.execute(f"drop role {made}")

    def test_ending_a_membership_ends_it_at_once(self, world: World) -> None:
        login = world.role("ana", "braid_reader")
        world.member("alpha", login)
        connection = world.connect(login)
        assert tenant(connection) == "alpha"
        assert world.admin.execute("select braid.remove_tenant_member('alpha', %s)", (login,)).fetchone() == (True,)
        assert world.admin.execute("select braid.remove_tenant_member('alpha', %s)", (login,)).fetchone() == (False,)
        assert tenant(connection) is None

    def test_another_identity_cannot_be_taken(self, world: World) -> None:
        login = world.role("ana", "braid_writer")
        other = world.role("bob", "braid_writer")
        world.member("alpha", login)
        world.member("beta", other)
        connection = world.connect(login)
        for role in (
            other,
            "postgres",
            owner_role(world.admin),
            definer_role(world.admin),
        ):
            for statement in (
                f"set role {role}",
                f"set session authorization {role}",
                f"set local session authorization {role}",
            ):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement)
        for role in ("braid_writer", "braid_reader", "none"):
            connection.execute(f"set role {role}")
            assert tenant(connection) == "alpha"
            assert connection.execute("select count(*) from braid.list_documents('small')").fetchone() == (3,)

    def test_members_are_added_to_tenants_and_roles_that_exist(self, world: World) -> None:
        with pytest.raises(psycopg.errors.UndefinedObject, match="nobody") as caught:
            world.member("nobody", "postgres")
        assert caught.value.diag.message_hint
        with pytest.raises(psycopg.errors.UndefinedObject, match="no_such_role") as caught:
            world.member("alpha", "no_such_role")
        assert caught.value.diag.message_hint


def test_without_a_tenant_nothing_is_found_and_nothing_done(world: World) -> None:
    login = world.role("nobody", "braid_writer")
    connection = world.connect(login)
    calls = {
        "status()",
        "hybrid_search('discount')",
        "search_json('discount')",
        "explain_score('discount', '{1}')",
        "full_text_search('discount')",
        "get_document('doc1')",
        "list_documents()",
        "highlight(1, 'discount')",
        "facets('{speaker}')",
        "similar_chunks(1)",
        "arrange_context('{1}', '{1}')",
        "arrange_results('{1}', '{1}')",
        "assemble_context('discount')",
        "similar_documents('doc1')",
        "upsert_document('x', 'y')",
        "upsert_documents('[]')",
        "delete_document('doc1')",
        "delete_documents('{doc1}')",
        "clear_collection('small')",
        "update_metadata('doc1', '{}')",
        "claim_embedding_jobs()",
        "fail_embedding_jobs('{1}', 'x')",
        "abandon_embedding_jobs('{1}', 'x')",
        "retry_embedding_jobs()",
        "drop_embedding_jobs()",
        "list_embedding_jobs()",
        "export_tenant()",
        "import_tenant('[]')",
    }
    for call in filter(is_installed, (f"braid.{call}" for call in calls)):
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="no tenant") as caught:
            connection.execute(f"select * from {call}")
        assert caught.value.diag.message_hint
