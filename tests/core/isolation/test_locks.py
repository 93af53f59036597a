"""No login can take pgbraid's locks, nobody sees who holds them, and no call queues behind an endless transaction."""

from __future__ import annotations

import json
import shutil
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from pgbraid import embedded
from pgbraid.install import install
from support import make_fast, temporary_folder
from support.parts import chosen, is_installed
from support.waiting import be_patient

Connection = psycopg.Connection[Any]
MODES = [
    "access exclusive",
    "exclusive",
    "share row exclusive",
    "share",
    "share update exclusive",
    "row exclusive",
    "row share",
    "access share",
]


@pytest.fixture(scope="module")
def preparing_server(pg_version: int) -> Iterator[embedded.Server]:
    """Yield a server that accepts prepared transactions, which needs its own start."""
    data_dir = temporary_folder()
    try:
        server = embedded.ensure_running(data_dir, pg_version)
        make_fast(server)
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute("alter system set max_prepared_transactions = 10")
        embedded.stop(data_dir)
        server = embedded.ensure_running(data_dir, pg_version)
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute("create database braid_template")
        install(server.dsn_for("braid_template"))
        yield server
    finally:
        embedded.stop(data_dir)
        shutil.rmtree(data_dir)


class Database:
    """Hold a database with the tenants alpha and beta, and sessions in it."""

    def __init__(self, server: embedded.Server) -> None:
        self.name = f"locks_{uuid.uuid4().hex[:8]}"
        self._server = server
        self._opened: list[Connection] = []
        with psycopg.connect(server.dsn, autocommit=True) as connection:
            connection.execute(sql.SQL("create database {} template braid_template").format(sql.Identifier(self.name)))
        self.admin = self.connect()
        self.admin.execute("select braid.create_tenant('alpha'), braid.create_tenant('beta')")

    def connect(self, tenant: str = "", login: str = "", **settings: str) -> Connection:
        dsn = self._server.dsn_for(self.name)
        connection = psycopg.connect(make_conninfo(dsn, user=login) if login else dsn, autocommit=True)
        self._opened.append(connection)
        for name, value in {"braid.tenant": tenant, **settings}.items():
            connection.execute("select set_config(%s, %s, false)", (name, value))
        return connection

    def writer(self, tenant: str) -> Connection:
        """Return a session whose lock_timeout is shorter than lock_wait(), but far longer than one of its tries."""
        return self.connect(tenant, lock_timeout="2s")

    def create(self, collection: str, **settings: Any) -> None:
        self.admin.execute(
            "select braid.create_collection(%s, dimensions => 2, settings => %s)", (collection, json.dumps(settings))
        )

    def close(self) -> None:
        for connection in self._opened:
            connection.close()
        with psycopg.connect(self._server.dsn, autocommit=True) as connection:
            connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(self.name)))


@pytest.fixture
def database(preparing_server: embedded.Server) -> Iterator[Database]:
    created = Database(preparing_server)
    try:
        yield created
    finally:
        with psycopg.connect(preparing_server.dsn_for(created.name), autocommit=True) as connection:
            for (gid,) in connection.execute(
                "select gid from pg_prepared_xacts where database = current_database()"
            ).fetchall():
                connection.execute(sql.SQL("rollback prepared {}").format(sql.Literal(gid)))
        created.close()


def write(connection: Connection, collection: str, key: str = "d") -> None:
    document = json.dumps([{"external_id": key, "content": "a heron stands", "embedding": [1, 2]}])
    connection.execute("select * from braid.upsert_documents(%s, %s)", (document, collection))


def import_again(connection: Connection, collection: str) -> None:
    """Import the session's tenant's part of a collection again, if the part transfer is installed."""
    if "transfer" in chosen():
        connection.execute("select braid.import_tenant(%s)", (records(connection, collection),))


def records(connection: Connection, collection: str) -> str:
    """Return the session's tenant's part of a collection in the format of import_tenant."""
    rows = connection.execute("select r from braid.export_tenant() r").fetchall()
    documents = [row[0] for row in rows if row[0].get("document", {}).get("collection") == collection]
    assert documents
    return json.dumps(documents)


# Each call waits for alpha's writers in a collection. Beside it are its caller and the calls that prepare it.
BLOCKED: dict[str, tuple[str, str, list[str]]] = {
    "start": ("", "select braid.start_model_change('start', 'new', 3)", []),
    "cut_over": ("", "select braid.cut_over_model_change('cut_over')", ["start"]),
    "roll_back": ("", "select braid.roll_back_model_change('roll_back')", ["start"]),
    "finish": (
        "",
        "select braid.finish_model_change('finish')",
        ["start", "cut_over"],
    ),
    "vector_index": (
        "",
        "select braid.set_collection('vector_index', '{\"vector_storage\": \"halfvec\"}')",
        [],
    ),
    "dropped": ("", "select braid.drop_collection('dropped')", []),
    "cleared": ("alpha", "select braid.clear_collection('cleared')", []),
    "rebuilt": ("alpha", "select braid.rebuild_index('rebuilt')", []),
    "all": ("", "select braid.drop_tenant('alpha', 'alpha')", []),
}
BLOCKED = {name: blocked for name, blocked in BLOCKED.items() if is_installed(blocked[1])}
GOES_ON = [
    "select braid.create_tenant('gamma')",
    "select braid.create_collection('another', dimensions => 2)",
    "select braid.create_collection('new_space', dimensions => 7)",
    "select braid.pause_model_change('paused'), braid.resume_model_change('paused')",
    "select braid.set_ranking('paused', '{\"k1\": 2}')",
    "select braid.set_synonyms('heron', '{egret}', 'paused')",
    "select braid.set_indexed_attributes('{\"color\": \"text\"}', 'paused')",
    "select braid.add_tenant_member('beta', 'postgres')",
    "select braid.set_access(create_tenants => true)",
    "select braid.maintain('1 second')",
    "select braid.drop_collection('unused')",
    "select braid.drop_tenant('delta', 'delta')",
]


class Writing:
    """Write to every collection in several sessions until told to stop, with a lock_timeout shorter than
    lock_wait()."""

    def __init__(self, database: Database, collections: list[str]) -> None:
        self.rounds = 0
        self.errors: list[psycopg.Error] = []
        self._stopping = threading.Event()
        self._collections = collections
        self._threads = [
            threading.Thread(target=self._run, args=(database.writer(tenant), tenant)) for tenant in ("alpha", "beta")
        ]

    def __enter__(self) -> Writing:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()

    def _run(self, connection: Connection, tenant: str) -> None:
        try:
            while not self._stopping.is_set():
                for collection in self._collections:
                    write(connection, collection, f"{tenant}'s own")
                self.rounds += 1
        except psycopg.Error as error:
            self.errors.append(error)


def prepare_collections(database: Database) -> None:
    database.admin.execute("select braid.create_tenant('delta')")
    for collection, (_, _, steps) in {
        **BLOCKED,
        "paused": ("", "", ["start"]),
        "unused": ("", "", []),
    }.items():
        database.create(collection, vector_storage="vector")
        if "start" in steps and "model_change" in chosen():
            database.admin.execute("select braid.start_model_change(%s, 'new', 3)", (collection,))
    database.admin.execute("select braid.maintain()")
    if "finish" in BLOCKED:
        database.admin.execute("select braid.cut_over_model_change('finish')")


@pytest.mark.parametrize("way", ["idle", "prepared"])
def test_nobody_queues_behind_a_transaction_that_does_not_end(database: Database, way: str) -> None:
    prepare_collections(database)
    forgotten = database.connect("alpha")
    forgotten.execute("begin")
    for collection in BLOCKED:
        document = json.dumps([{"external_id": "forgotten", "content": "a heron"}])
        forgotten.execute("savepoint one")
        forgotten.execute("select * from braid.upsert_documents(%s, %s)", (document, collection))
        if collection == "cleared":
            forgotten.execute("release one")
    named = f'process {forgotten.info.backend_pid} of user "postgres"'
    if way == "prepared":
        forgotten.execute("prepare transaction 'forgotten one'")
        named = "prepared transaction 'forgotten one' of user \"postgres\""

    def call(connection: Connection, statement: str) -> psycopg.Error | None:
        try:
            connection.execute(statement)
        except psycopg.Error as error:
            return error
        return None

    sessions = {name: database.connect(tenant, statement_timeout="3min") for name, (tenant, _, _) in BLOCKED.items()}
    with (
        Writing(database, [name for name in BLOCKED if name not in ("cut_over", "finish")]) as writing,
        ThreadPoolExecutor(len(BLOCKED)) as pool,
    ):
        calls = {name: pool.submit(call, sessions[name], statement) for name, (_, statement, _) in BLOCKED.items()}
        for statement in filter(is_installed, GOES_ON):
            assert (statement, call(database.admin, statement)) == (statement, None)
        errors = {name: future.result() for name, future in calls.items()}
    assert writing.errors == [] and writing.rounds > 0
    for name, error in errors.items():
        assert error is not None and error.sqlstate == "55P03", (name, error)
        assert named in (error.diag.message_primary or ""), (name, error)
        assert error.diag.message_hint is not None

    if way == "prepared":
        database.admin.execute("rollback prepared 'forgotten one'")
    else:
        forgotten.execute("rollback")
    for name in [name for name in BLOCKED if name not in ("cut_over", "roll_back", "finish")]:
        assert (name, call(sessions[name], BLOCKED[name][1])) == (name, None)


def test_maintain_waits_for_no_forgotten_worker(database: Database) -> None:
    for collection in ("left", "used"):
        database.create(collection)
    alpha = database.connect("alpha")
    for number in range(3):
        document = json.dumps([{"external_id": f"d{number}", "content": "a heron"}])
        alpha.execute("select * from braid.upsert_documents(%s, 'left')", (document,))
    alpha.execute("begin")
    alpha.execute("select * from braid.claim_embedding_jobs(2, collection => 'left')")
    database.admin.execute("set statement_timeout = '3min'")
    database.admin.execute("select braid.drop_collection('left')")
    row = database.admin.execute("select braid.maintain('2 seconds')").fetchone()
    assert row is not None and not row[0]["complete"]
    alpha.execute("rollback")
    for _ in range(5):
        row = database.admin.execute("select braid.maintain('2 seconds')").fetchone()
    assert row is not None and row[0]["complete"] and row[0]["warnings"] == []


def test_what_one_tenant_locks_is_its_own(database: Database) -> None:
    """A tenant's locks are its own: however many collections it locks, for itself or as a writer, it blocks nobody
    else."""
    collections = [f"c{number}" for number in range(12)]
    for collection in collections:
        database.create(collection)
        for tenant in ("alpha", "beta"):
            write(database.connect(tenant), collection)
    for statement in (
        "select braid.clear_collection(%s)",
        "select braid.rebuild_index(%s)",
        "writes",
    ):
        alpha, beta = (
            database.connect("alpha"),
            database.connect("beta", statement_timeout="3min"),
        )
        alpha.execute("begin")
        for collection in collections:
            if statement == "writes":
                write(alpha, collection, "open")
            else:
                alpha.execute(statement, (collection,))
        for collection in collections:
            write(beta, collection, f"while {statement}")
            beta.execute("select braid.rebuild_index(%s)", (collection,))
            import_again(beta, collection)
            beta.execute("select braid.clear_collection(%s)", (collection,))
        alpha.execute("rollback")
        for connection in (alpha, beta):
            connection.close()


def test_a_clear_gets_its_turn_among_writers_who_leave_no_moment_between_them(
    database: Database,
) -> None:
    database.create("busy")
    be_patient(database.admin)
    stopping = threading.Event()
    writing = threading.Barrier(4)

    def keep_writing(number: int) -> None:
        connection = database.connect("alpha")
        first = True
        while not stopping.is_set():
            with connection.transaction():
                write(connection, "busy", f"d{number}")
                if first:
                    writing.wait()
                    first = False
                connection.execute("select pg_sleep(0.02)")

    threads = [threading.Thread(target=keep_writing, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    writing.wait()
    try:
        clearing = database.connect("alpha")
        for _ in range(3):
            assert clearing.execute("select braid.clear_collection('busy')").fetchone() is not None
    finally:
        stopping.set()
        for thread in threads:
            thread.join()


def test_locks_do_not_name_the_tenant(database: Database) -> None:
    database.create("shared")
    held = []
    for tenant in ("alpha", "beta"):
        connection = database.connect(tenant)
        write(connection, "shared", "first")
        connection.execute("begin")
        write(connection, "shared", "second")
        rows = database.admin.execute(
            "select locktype, relation, mode, classid, objid, objsubid, page, tuple from pg_locks where pid = %s"
            " and locktype not in ('transactionid', 'virtualxid')",
            (connection.info.backend_pid,),
        ).fetchall()
        held.append(sorted(map(str, set(rows))))
        connection.execute("rollback")
    assert held[0] == held[1] and len(held[0]) > 5


KEYS = [
    "hashtextextended('pgbraid/' || c, 0)",
    "hashtextextended('pgbraid spaces/' || c, 0)",
    "hashtextextended('pgbraid/' || c || '/' || t, 0)",
    "hashtextextended('pgbraid shards/' || c || '/' || t, 0)",
]
# Each statement would lock the table that it names.
NAMING = [
    "comment on table {table} is 'mine'",
    "create temp table t_{n} (n int references {table})",
    "create temp table l_{n} (like {table})",
    "create temp table i_{n} () inherits ({table})",
    "select * from {table} for update",
    "select * from {table} for key share",
    "alter table {table} set (fillfactor = 10)",
    "create trigger mine after insert on {table} execute function suppress_redundant_updates_trigger()",
    "create policy mine on {table}",
    "create statistics mine_{n} on tenant_id, slot from {table}",
    "create index on {table} (tenant_id)",
    "vacuum {table}",
    "analyze {table}",
    "truncate {table}",
    "drop table {table}",
]


@pytest.mark.parametrize("role", ["", "braid_reader", "braid_writer"])
def test_a_login_takes_all_that_it_can_and_everything_goes_on(database: Database, role: str) -> None:
    database.create("shared")
    login = f"taker_{uuid.uuid4().hex[:8]}"
    database.admin.execute(f"create role {login} login")
    if role:
        database.admin.execute(f"grant {role} to {login}")
        database.admin.execute("select braid.create_tenant('taker')")
        database.admin.execute("select braid.add_tenant_member('taker', %s)", (login,))
    for tenant in ("alpha", "beta"):
        write(database.connect(tenant), "shared")

    taker = database.connect(login=login)
    pool = [
        row[0]
        for row in database.admin.execute(
            "select 'braid_locks.' || relname from pg_class where relnamespace = 'braid_locks'::regnamespace"
            " and relkind = 'r' and relname !~ '^collection_[1-9]'"
        )
    ]
    assert len(pool) == 2
    for table in pool:
        for number, statement in enumerate(NAMING):
            with pytest.raises(psycopg.Error) as refused:
                taker.execute(statement.format(table=table, n=number))
            assert refused.value.sqlstate == "42501", statement
    taker.execute("begin")
    for key in KEYS:
        taker.execute(f"select pg_advisory_lock({key}) from generate_series(1, 9) c, generate_series(1, 9) t")
    taken = set()
    names = database.admin.execute(
        "select oid::regclass::text from pg_class where relnamespace::regnamespace::text like 'braid%'"
        " and relkind in ('r', 'p', 'v')"
    ).fetchall()
    for (name,) in names:
        for mode in MODES:
            taker.execute("savepoint try")
            try:
                taker.execute(f"lock table {name} in {mode} mode nowait")
                taken.add((name, mode))
                break
            except psycopg.Error:
                taker.execute("rollback to try")
    assert {mode for _, mode in taken} == ({"access share"} if role else set())
    assert not [name for name, _ in taken if name.startswith("braid_locks")]
    if role == "braid_writer":
        taker.execute("select braid.clear_collection('default'), braid.clear_collection('shared')")

    admin = database.connect(lock_timeout="1min", statement_timeout="3min")
    for tenant in ("alpha", "beta"):
        writer = database.connect(tenant, lock_timeout="1min", statement_timeout="3min")
        write(writer, "shared", "more")
        import_again(writer, "shared")
        for call in (
            "rebuild_index('shared')",
            "delete_document('more', 'shared')",
            "clear_collection('shared')",
        ):
            writer.execute(f"select braid.{call}")
        writer.close()
    if role != "braid_writer":  # its own open clear blocks changes to all tenants' parts
        for statement in (
            "start_model_change('shared', 'new', 3)",
            "roll_back_model_change('shared')",
            "set_collection('shared', '{\"vector_storage\": \"halfvec\"}')",
            "drop_collection('shared')",
        ):
            if is_installed(f"braid.{statement}"):
                admin.execute(f"select braid.{statement}")
    done = admin.execute("select braid.maintain('2 seconds')").fetchone()
    assert done is not None and done[0]["warnings"] == []
    admin.execute("select braid.drop_tenant('alpha', 'alpha'), braid.create_tenant('alpha')")
    taker.close()
    database.admin.execute(f"drop owned by {login}")
    database.admin.execute(f"drop role {login}")
