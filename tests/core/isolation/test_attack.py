"""Every kind of login calls every function of the API with hostile arguments. Results, errors, notices and plans
show nothing of another tenant, and every error is a documented one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from random import Random
from typing import Any

import pytest
from core.isolation.attack.calls import Function, calls, functions, learn_keys
from core.isolation.attack.harness import Outcome, attack, called, explained, prepare
from core.isolation.world import ALPHA, Gateway, World, tenant_claims
from psycopg import sql

from pgbraid import embedded
from support.api import OBJECTS
from support.calls import one
from support.parts import chosen
from support.waiting import processor_seconds

pytestmark = [pytest.mark.any_version, pytest.mark.long]

DOCUMENTED = frozenset({"00000", "22023", "22P02", "42704", "42501", "0A000", "54000"})
# Only the victim has these words.
WORDS = [f"zyx{word}" for word in ("falcon", "marble", "quartz", "harbor", "lantern", "meadow", "copper", "violet")]
DOCUMENTS = 1201
CANARY = re.compile(
    "|".join(
        [
            *WORDS,
            r"zyx(?:doc-\d+|title|ana|category|host|key|value|error)|quillfeather",
            rf"(?<![\d.])(?:{DOCUMENTS}|73519(?:\.25)?|7461937(?:\.25)?)(?!\d)|0\.73519|1987-06-05",
        ]
    ),
    re.IGNORECASE,
)
# These views are about all tenants, for logins that look after all of them: administrators, services and monitors.
FOR_ALL_TENANTS = {name for name, header in OBJECTS.items() if header.kind == "view" and "monitor" in header.roles}
# Every call is tried for the least role that may make it; each other role tries a sample.
ROLES = ["reader", "writer", "admin", "anon", "authenticated", "service_role", "service", "no_member", "plain"]
SAMPLE = 150


def victims() -> list[dict[str, Any]]:
    random = Random(6)
    return [
        {
            "external_id": f"zyxdoc-{number}" if number > 2 else f"doc{number}",
            "title": f"Zyxtitle of {random.choice(WORDS)}",
            "content": f"A discount for the customer: {' '.join(random.sample(WORDS, 4))}, prices.",
            "speaker": "Zyxana Quillfeather",
            "category": "zyxcategory",
            "source_uri": f"https://zyxhost.example/{number}",
            "importance": 7461937.25,
            "occurred_at": "1987-06-05T04:03:02Z",
            "metadata": {"zyxkey": "zyxvalue", "year": 73519.25},
            **({"embedding": [0.73519, number / DOCUMENTS, 0.1]} if number % 3 else {}),
        }
        for number in range(1, DOCUMENTS + 1)
    ]


def log(world: World) -> None:
    """Let the victim search, and click on what it finds."""
    asked = "braid.logged_search(%s, filters => '{\"external_id\": \"zyxdoc-7\"}', collection => 'small')"
    for text in ("customer zyxana", "customer of quillfeather", "customer zyxana"):
        search_id = world.call("beta", f"select {asked} #>> '{{stats,search_id}}'", text)
        world.call("beta", "select braid.record_feedback(%s, 'zyxdoc-7', 'dwell', 7461.937)", search_id)


def fill(world: World) -> None:
    world.ingest("alpha", ALPHA)
    world.ingest("beta", victims())
    world.admin.execute("update braid_store.vector_settings set exact_rows = 5")
    log(world)
    for _ in range(4):
        world.admin.execute("select braid.maintain()")
    with world.admin.transaction():
        world.admin.execute("set local braid.tenant = 'beta'")
        world.admin.execute(
            "select braid.fail_embedding_jobs(array(select chunk_id from braid.claim_embedding_jobs("
            "9, collection => 'small')), 'zyxerror', 'small')"
        )
    log(world)
    world.admin.execute("vacuum analyze")


@pytest.fixture(scope="module")
def world(server: embedded.Server, template: str) -> Iterator[World]:
    """Yield a world where alpha is small, and beta is the victim, with a vector shard, failed jobs and words of its
    own."""
    created = World(server.dsn_for("postgres"), template)
    try:
        fill(created)
        yield created
    finally:
        created.close()


@pytest.fixture(scope="module")
def gateway(world: World) -> Gateway:
    return Gateway(world)


class Attacker:
    """Act as a login of one kind, with alpha as its tenant if the kind has a tenant."""

    def __init__(self, world: World, gateway: Gateway, kind: str) -> None:
        self._gateway = gateway
        self._kind = kind
        if kind in ("anon", "authenticated", "service_role"):
            self.connection = gateway.connection
        elif kind == "service":
            login = world.role("service", "braid_writer", "service")
            self.connection = world.connect(login, braid__tenant="alpha")
        else:
            groups = {
                "no_member": ["braid_writer"],
                "plain": [],
                "admin": ["braid_writer", "administrator"],
            }.get(kind, [f"braid_{kind}"])
            login = world.role(kind, *groups)
            if kind != "no_member":
                world.member("alpha", login)
            self.connection = world.connect(login)
        self.notices = prepare(self.connection)

    def session(self) -> AbstractContextManager[Any]:
        gateway = self._gateway
        if self._kind == "anon":
            return gateway.request(gateway.anon, read_only=False)
        if self._kind == "authenticated":
            return gateway.request(gateway.authenticated, tenant_claims("alpha"), read_only=False)
        if self._kind == "service_role":
            return gateway.request(gateway.service_role, {}, {"x-braid-tenant": "alpha"}, read_only=False)
        return nullcontext()

    def run(self, statements: list[str]) -> list[Outcome]:
        with self.session():
            return list(attack(self.connection, statements))

    def processor_seconds(self, statement: str) -> float:
        pid = self.connection.info.backend_pid
        before = processor_seconds(pid)
        self.run([statement])
        return processor_seconds(pid) - before


@pytest.fixture(scope="module")
def api(world: World) -> list[Function]:
    found = functions(world.admin)
    own = world.chunk_ids("alpha")[0]
    with world.admin.transaction(force_rollback=True):
        world.admin.execute("set local braid.tenant = 'alpha'")
        for function in found:
            learn_keys(world.admin, function, own)
    return found


def attempts(world: World, api: list[Function], made: dict[str, list[str]], kind: str) -> list[str]:
    """Return all calls whose least role belongs to this kind of login, and a sample of the other calls."""
    random = Random(kind)
    least = {
        name: role
        for role in ("admin", "writer", "reader")
        for (name,) in world.admin.execute(
            "select proname from pg_proc where pronamespace = 'braid'::regnamespace and prokind = 'f'"
            " and has_function_privilege(%s, oid, 'EXECUTE')",
            # The superuser may run every function: administrators get the functions that writers may not run.
            ("postgres" if role == "admin" else f"braid_{role}",),
        )
    }
    chosen: list[str] = []
    others: list[str] = []
    for function in api:
        # about all tenants, for logins that may call them
        if function.name in ("embedding_backlog", "embedding_usage"):
            continue
        if function.name == "health" and kind == "admin":  # services and writers see only their own state
            continue
        if least.get(function.name) != kind:
            others += made[function.name]
        elif function.name != "calibrate":  # it has no arguments, and takes seconds
            chosen += made[function.name]
    own = str(world.chunk_ids("alpha")[0])
    chosen = [call.replace(":own", own) for call in chosen + random.sample(others, SAMPLE)]
    plans = random.sample(chosen, min(len(chosen), 100))
    relations = world.admin.execute(
        "select oid::regclass::text from pg_class where relkind in ('r', 'p', 'v')"
        " and relnamespace in ('braid'::regnamespace, 'braid_calls'::regnamespace, 'braid_store'::regnamespace)"
    ).fetchall()
    views = [name for (name,) in relations if not (kind in ("admin", "service") and name in FOR_ALL_TENANTS)]
    return [
        *(called(call) for call in chosen),
        *(explained(call) for call in plans),
        # Supabase's service_role bypasses row security, so it reads whole tables where they are exposed.
        *(f"select r::text from {view} r" for view in views if kind != "service_role"),
        *(f"select s::text from {view} s where schemaname ~ 'braid'" for view in ("pg_stats", "pg_stats_ext")),
    ]


@pytest.fixture(scope="module")
def statements(world: World, api: list[Function]) -> dict[str, list[str]]:
    """Return the statements to try for each kind of login."""
    ids = world.chunk_ids("beta")[:200]
    made = {function.name: list(calls(function, ids, Random(function.name), 20)) for function in api}
    return {kind: attempts(world, api, made, kind) for kind in ROLES}


def leaks(said: str, statement: str) -> list[str]:
    """Return the victim's traces in an answer, except traces that the caller's statement contains."""
    asked = statement.lower()
    return sorted({found for found in CANARY.findall(said) if found.lower() not in asked})


def assert_nothing_shows(
    world: World, attacker: Attacker, statements: list[str], documented: frozenset[str] = DOCUMENTED
) -> None:
    before = world.fingerprint("beta"), world.fingerprint("alpha")
    outcomes = attacker.run(statements)
    assert len(outcomes) == len(statements)

    shown = [(o.statement[:500], leaks(o.said, o.statement)) for o in outcomes if leaks(o.said, o.statement)]
    assert shown == []
    # Notices come without their statement, and some quote it.
    everything = " ".join(statements).lower()
    assert [notice for notice in attacker.notices if leaks(notice, everything)] == []
    surprises = {
        (o.state, re.sub(r"[\d'\"].*", "", o.said)): (o.statement[:700], o.said[:1500])
        for o in outcomes
        if o.state not in documented
    }
    assert surprises == {}
    # On a busy machine everything takes long, so only processor time counts.
    slow = [o.statement for o in outcomes if o.milliseconds > 5000]
    assert [statement[:300] for statement in slow if attacker.processor_seconds(statement) > 5] == []
    assert (world.fingerprint("beta"), world.fingerprint("alpha")) == before


@pytest.mark.parametrize("kind", ROLES)
def test_nothing_of_another_tenant_shows(
    world: World, gateway: Gateway, statements: dict[str, list[str]], kind: str
) -> None:
    assert_nothing_shows(world, Attacker(world, gateway, kind), statements[kind])


def test_there_are_thousands_of_calls(api: list[Function], statements: dict[str, list[str]]) -> None:
    assert sum(map(len, statements.values())) > 50 * len(api)
    everything = " ".join(statement for made in statements.values() for statement in made)
    assert {function.name for function in api if f"braid.{function.name}(" not in everything} <= {
        "calibrate",
        "embedding_backlog",
        "embedding_usage",
    }
    # The attack has learnt the keys of jsonb arguments.
    assert {"speaker", "snippet"} <= {path[1] for f in api for paths in f.keys.values() for path in paths}


def test_the_victims_own_results_would_be_noticed(world: World) -> None:
    connection = world.connect("postgres", braid__tenant="beta")
    prepare(connection)
    asked = [
        called("braid.full_text_search('discount', collection => 'small')"),
        called("braid.status('small')"),
        "select 1 / 0 from braid_store.chunks where speaker like 'Z%' and raise_application_error(content)",
        "select s::text from (values (1201)) s",
    ]
    noticed = [leaks(outcome.said, outcome.statement) for outcome in attack(connection, asked)]
    assert {"Quillfeather", "zyxkey", "7461937.25", "73519.25"} <= set(noticed[0])
    assert noticed[1:] == [["1201"], [], []]


def shape(plan: Any) -> Any:
    """Return the parts of a plan that do not repeat the constants of its statement."""
    if isinstance(plan, list):
        return [shape(part) for part in plan]
    if isinstance(plan, dict):
        told = ("Plan", "Plans", "Node Type", "Index Name", "Plan Rows", "Plan Width", "Startup Cost", "Total Cost")
        return {key: shape(value) for key, value in plan.items() if key in told}
    return plan


def test_estimates_are_the_same_for_what_others_have(world: World, gateway: Gateway) -> None:
    """A plan's estimates do not reveal another tenant's values. Each column that a login may read is compared with a
    value in a thousand of the victim's rows, one in a single row, and one in no row."""
    columns = world.admin.execute(
        "select c.oid::regclass::text, a.attname, format_type(a.atttypid, null) from pg_class c"
        " join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped"
        " where c.relnamespace = 'braid_store'::regnamespace and c.relkind in ('r', 'p')"
        " and has_column_privilege('braid_writer', c.oid, a.attnum, 'select')"
        " and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id')"
    ).fetchall()
    tables = {table for table, _, _ in columns}
    logs = {"braid_store.search_log"} if "search_log" in chosen() else set()
    assert tables >= {"braid_store.documents", "braid_store.chunks", *logs}
    # The days of the search log are no tenant's secret.
    columns = [column for column in columns if column[:2] != ("braid_store.search_log", "searched_at")]
    writer = Attacker(world, gateway, "writer").connection
    # Writers read these tables through views, because the schema is closed to them.
    world.admin.execute(sql.SQL("grant usage on schema braid_store to {}").format(sql.Identifier(writer.info.user)))
    nowhere = {
        "jsonb": '{"zyxno": 1}',
        "bytea": "\\x01",
        "timestamp with time zone": "1901-01-01",
        "boolean": "true",
        "uuid": "0" * 32,
        "real": "99",
        "text[]": "{qqqq}",
        "integer[]": "{99}",
        "bigint[]": "{99}",
    }
    compared = 0
    for table, column, kind in columns:
        (often,), (once,) = world.admin.execute(
            f"(select {column}::text from {table} where tenant_id = %(beta)s group by 1 order by count(*) desc limit 1)"
            f" union all (select {column}::text from {table} where tenant_id = %(beta)s group by 1 order by count(*), 1"
            " limit 1)",
            {"beta": world.tenant_ids["beta"]},
        ).fetchall()
        absent = nowhere.get(kind, "99" if kind in ("integer", "bigint", "double precision") else "qqqq")
        operators = ["=", "<>", "<", ">=", "is distinct from", *(["like", "^@"] if kind == "text" else [])]
        for operator in operators:
            plans = []
            for value in (often, once, absent):
                if value is None:
                    continue
                plan = one(
                    writer, f"explain (format json) select * from {table} where {column} {operator} %s::{kind}", value
                )
                plans.append(shape(plan))
            assert plans.count(plans[0]) == len(plans), (table, column, operator)
            compared += len(plans)
    world.admin.execute(sql.SQL("revoke usage on schema braid_store from {}").format(sql.Identifier(writer.info.user)))
    assert compared > 200


def test_scores_do_not_move_when_another_tenant_ingests(
    world: World, gateway: Gateway, statements: dict[str, list[str]]
) -> None:
    """The attacker's results, counts, warnings and explanations stay the same while beta grows. This test is the
    last one, because it adds to beta."""
    reading = [
        statement
        for statement in statements["reader"]
        if re.match(r"select r::text from braid\.(\w*search\w*|facets|explain_score|similar_\w+|status)\(", statement)
        and "filters =>" not in statement
    ]
    chosen = Random(1).sample(reading, min(len(reading), 500))
    reader = Attacker(world, gateway, "reader")

    def results() -> list[tuple[str, str]]:
        return [(o.state, re.sub(r'_ms": [\d.e-]+|"search_id": "[\w-]+"', "", o.said)) for o in reader.run(chosen)]

    expected = results()
    assert sum("doc1" in said for state, said in expected if state == "00000") > 10
    world.ingest(
        "beta",
        [
            {"external_id": f"more{number}", "content": "discount customer prices " * 5, "embedding": [1, 0, 0.01]}
            for number in range(200)
        ],
    )
    world.admin.execute("select braid.maintain()")
    world.admin.execute("vacuum analyze")
    assert results() == expected
