"""Share fixtures: an embedded server of the requested version, and a freshly installed database for each test."""

from __future__ import annotations

import gc
import inspect
import os
import secrets
import shutil
import signal
import subprocess
import uuid
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

import pgbraid
from pgbraid import embedded
from pgbraid.embedded.programs import installed_programs
from support import (
    HashEmbedder,
    OtherSession,
    Templates,
    Tenants,
    clone,
    finish_drops,
    make_fast,
    pglite,
    temporary_folder,
)
from support.calls import one
from support.examples import tries_fewer, try_fewer, trying_each_value
from support.package import Package
from support.parts import choose, of_file
from support.sample import is_in_sample, is_in_share

Connection = psycopg.Connection[Any]
NewDatabase = Callable[[], AbstractContextManager[str]]
# The kinds that braid.add_trusted_role takes.
TRUSTED = ("gateway", "service", "administrator", "monitor")
REPOSITORY = Path(__file__).parents[1]
NOT_PGLITE = "PGlite is one session of one database, without logins, other connections or a server's programs and files"


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    parser.addoption(
        "--postgres-version",
        type=int,
        default=embedded.DEFAULT_VERSION,
        help="major version of the embedded PostgreSQL to test on",
    )
    parser.addoption(
        "--parts",
        default="",
        help="what databases have: all parts, core, which is the core alone, or names with commas between them; without"
        " it, what support/parts.py says of each file",
    )
    parser.addoption(
        "--any-version",
        type=Path,
        metavar="FOLDER",
        help="where runs on several versions agree on who takes which of the tests that depend on none",
    )
    parser.addoption(
        "--share",
        type=int,
        default=1,
        help="of the files whose subject is no version of PostgreSQL, run one of so many, which the seed chooses",
    )
    # Other conftest.py files are imported before pytest_configure, and list the installed functions.
    config = pluginmanager.get_plugin("pytestconfig")
    assert config is not None
    choose(parser.parse_known_args(config.invocation_params.args).parts)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # The seed determines hypothesis' examples; other random values in tests have a seed in the test.
    if config.option.hypothesis_seed is None:
        seed = os.environ.get("PYTHONHASHSEED", "")
        config.option.hypothesis_seed = seed if seed.isdigit() else str(secrets.randbits(32))
    # Tests must not touch the environment's databases or the user's own embedded server.
    kept = ("PGBRAID_CITUS_DSN", "PGBRAID_PG_TLE", "PGBRAID_WRITE_PRIVILEGES")
    for name in [name for name in os.environ if name.startswith("PG") and name not in kept]:
        del os.environ[name]
    os.environ["PGBRAID_DATA_DIR"] = "/nonexistent/pgbraid"
    # Several servers run at the same time, also on small machines.
    os.environ["PGBRAID_MEMORY"] = "512MB"
    # `make test` ends the run in the background with SIGTERM; the run must stop its server as after Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # A shell makes its background jobs, and all that they start, ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    version = config.getoption("--postgres-version")
    if version != embedded.DEFAULT_VERSION:
        # Each example takes several times as long on PGlite, in WebAssembly.
        try_fewer(16 if version == pglite.VERSION else 4)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without garbage collection, and freeze the half million imported objects, which stay to the end.
    Searching them for garbage would take a third of the import time, and seconds later on."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_report_header(config: pytest.Config) -> list[str]:
    seed = config.option.hypothesis_seed
    return [_server_version(config), f"seed {seed}: PYTHONHASHSEED={seed} tries the same examples again"]


def _server_version(config: pytest.Config) -> str:
    if config.getoption("--postgres-version") == pglite.VERSION:
        return f"PostgreSQL {pglite.VERSION} by {pglite.PACKAGES[0]}"
    postgres = installed_programs(config.getoption("--postgres-version")) / "postgres"
    return subprocess.run([postgres, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort files that another run can take to the end, so that the faster run takes more of them. The longest of
    these files come first, so that no run waits long for the other's last file."""
    if tries_fewer():
        seed, share = str(config.option.hypothesis_seed), config.option.share
        _leave_out(config, items, {item for item in items if not _is_in_sample(item, seed, share)})
        _leave_out_combinations(config, items)
    bound = {item.path for item in items if not item.get_closest_marker("any_version")}
    long = ["wheel", "examples", "adding", "attack", "errors", "set_ranking", "hostile_files", "edge_function"]
    place = {f"test_{name}.py": number for number, name in enumerate(long)}
    items.sort(key=lambda item: (item.path not in bound, item.path in bound or place.get(item.path.name, len(long))))


def _leave_out_combinations(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out combinations: the chosen cases try each value of each parameter, and the default version tries all
    cases."""
    cases: dict[str, list[pytest.Function]] = {}
    for item in items:
        runs_once = item.get_closest_marker("any_version")
        if isinstance(item, pytest.Function) and hasattr(item, "callspec") and not runs_once:
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out: set[pytest.Item] = set()
    for of_test in cases.values():
        chosen = trying_each_value([_values(item) for item in of_test])
        left_out.update(item for place, item in enumerate(of_test) if place not in chosen)
    _leave_out(config, items, left_out)


def _is_in_sample(item: pytest.Item, seed: str, share: int) -> bool:
    file = item.path.relative_to(REPOSITORY / "tests").as_posix()
    if item.get_closest_marker("any_version"):
        return True
    return is_in_sample(file, item.name) and is_in_share(file, seed, share)


def _leave_out(config: pytest.Config, items: list[pytest.Item], left_out: set[pytest.Item]) -> None:
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=list(left_out))


def _values(item: pytest.Function) -> set[tuple[object, ...]]:
    """Return the values of each `parametrize`, and of each fixture with parameters."""
    params = dict(item.callspec.params)
    together = [
        [name.strip() for name in given.split(",")] if isinstance(given, str) else list(given)
        for given in (marker.args[0] for marker in item.iter_markers("parametrize"))
    ]
    values = {tuple((name, id(params.pop(name))) for name in names) for names in together}
    return values | {((name, id(value)),) for name, value in params.items()}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.config.getoption("--postgres-version") == pglite.VERSION:
        _skip_what_pglite_cannot_run(item)
    folder = item.config.getoption("--any-version")
    if folder and item.get_closest_marker("any_version") and not _is_ours(folder, item.path):
        pytest.skip("runs once, on another version of PostgreSQL")


def _skip_what_pglite_cannot_run(item: pytest.Item) -> None:
    assert isinstance(item, pytest.Function)
    if not shutil.which("node"):
        pytest.skip("node is not installed: PGlite, which is PostgreSQL 17, cannot run")
    if marker := item.get_closest_marker("not_pglite"):
        pytest.skip(marker.args[0])
    # A test that takes `dsn` opens connections besides its fixtures' connections.
    if "dsn" in inspect.signature(item.function).parameters:
        pytest.skip(NOT_PGLITE)


@cache
def _is_ours(folder: Path, file: Path) -> bool:
    try:
        (folder / "-".join(file.relative_to(REPOSITORY).parts)).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


@pytest.fixture(scope="session")
def pg_version(request: pytest.FixtureRequest) -> int:
    """Return the major version of the server under test."""
    return int(request.config.getoption("--postgres-version"))


@pytest.fixture(scope="session")
def server(pg_version: int) -> Iterator[embedded.Server]:
    """Yield the embedded server of this test run."""
    if pg_version == pglite.VERSION:
        pytest.skip(NOT_PGLITE)
    data_dir = temporary_folder()
    try:
        running = embedded.ensure_running(data_dir, pg_version)
        make_fast(running)
        yield running
    finally:
        finish_drops()
        embedded.stop(data_dir)
        shutil.rmtree(data_dir)


@pytest.fixture(scope="session")
def templates(server: embedded.Server) -> Templates:
    return Templates(server)


@pytest.fixture(scope="module")
def template(request: pytest.FixtureRequest, templates: Templates, pg_version: int) -> str:
    """Return the name of a database with pgbraid freshly installed, which each test's database clones."""
    return templates.name(of_file(request.path, is_default_version=pg_version == embedded.DEFAULT_VERSION))


@pytest.fixture(scope="session")
def pglite_databases() -> Iterator[pglite.PGlite]:
    with pglite.running() as databases:
        yield databases


@pytest.fixture(scope="module")
def new_database(request: pytest.FixtureRequest, pg_version: int) -> NewDatabase:
    """Return a context manager for a new database with pgbraid freshly installed: `with new_database() as dsn`. The
    DSN is the superuser's."""
    if pg_version == pglite.VERSION:
        databases: pglite.PGlite = request.getfixturevalue("pglite_databases")
        return databases.new
    return partial(_database, request.getfixturevalue("server"), request.getfixturevalue("template"))


@contextmanager
def _database(server: embedded.Server, template: str) -> Iterator[str]:
    with clone(server, template) as name:
        yield server.dsn_for(name)


@pytest.fixture
def dsn(new_database: NewDatabase) -> Iterator[str]:
    """Yield the superuser's DSN of a database with pgbraid freshly installed."""
    with new_database() as dsn:
        yield dsn


@pytest.fixture
def db(request: pytest.FixtureRequest) -> Iterator[Connection]:
    """Yield a superuser's connection to the test's database, in autocommit mode, with the tenant `default`. A test
    that is marked `tenant_of_its_own` and does not use `dsn` gets a session as a new tenant, in the file's database."""
    if request.node.get_closest_marker("tenant_of_its_own") and "dsn" not in request.fixturenames:
        yield from request.getfixturevalue("tenants").new()
    else:
        with psycopg.connect(request.getfixturevalue("dsn"), autocommit=True) as connection:
            yield connection


@pytest.fixture
def other_session(request: pytest.FixtureRequest) -> OtherSession:
    """Return a context manager for another session like `db`: `with other_session() as connection`. It is one
    transaction, or several with `autocommit=True`. If the test is marked `tenant_of_its_own`, the session has cached
    plans, as `db` has."""
    if request.node.get_closest_marker("tenant_of_its_own") and "dsn" not in request.fixturenames:
        tenants: Tenants = request.getfixturevalue("tenants")
        return tenants.other_session
    return partial(psycopg.connect, request.getfixturevalue("dsn"))


@pytest.fixture(scope="module")
def tenants(new_database: NewDatabase) -> Iterator[Tenants]:
    with Tenants(new_database) as tenants:
        yield tenants


@pytest.fixture(scope="module")
def shared_db(new_database: NewDatabase) -> Iterator[Connection]:
    """Yield a connection like `db`, but one for all tests of a file: the tests leave nothing behind and take a third
    of the time."""
    with new_database() as dsn, psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture
def make_login(server: embedded.Server, dsn: str) -> Iterator[Callable[..., str]]:
    """Return a function that creates a login and returns its name: `make_login("ana", "braid_reader", …)`. The login
    is a member of the roles, or trusted as "gateway", "service", "administrator" or "monitor". `options` are further
    options of `create role`, such as "createrole"."""
    created: list[str] = []

    def make(name: str, *roles: str, options: str = "") -> str:
        login = f"{name}_{uuid.uuid4().hex[:8]}"
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(sql.SQL("create role {} login " + options).format(sql.Identifier(login)))
            created.append(login)
            for role in roles:
                if role in TRUSTED:
                    connection.execute("select braid.add_trusted_role(%s, %s)", (login, role))
                else:
                    connection.execute(sql.SQL("grant {} to {}").format(sql.Identifier(role), sql.Identifier(login)))
        return login

    yield make
    with psycopg.connect(dsn, autocommit=True) as connection:
        for login in created:
            connection.execute(sql.SQL("drop owned by {} cascade").format(sql.Identifier(login)))
            connection.execute(sql.SQL("drop role {}").format(sql.Identifier(login)))


@pytest.fixture
def connect_as(server: embedded.Server, dsn: str) -> Iterator[Callable[..., Connection]]:
    """Return a function that opens a connection in autocommit mode, closed after the test: `connect_as(login,
    tenant=None)`."""
    opened: list[Connection] = []

    def connect(login: str, tenant: str | None = None) -> Connection:
        connection = psycopg.connect(make_conninfo(dsn, user=login), autocommit=True)
        opened.append(connection)
        if tenant is not None:
            connection.execute("select set_config('braid.tenant', %s, false)", (tenant,))
        return connection

    yield connect
    for connection in opened:
        connection.close()


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Iterator[pgbraid.Client]:
    """Yield a client of tenant `default` that embeds by hashing words, which is fast and the same on every machine.
    A test that is marked `tenant_of_its_own` and does not use `dsn` gets a client of a new tenant, on the session of
    `db`."""
    if request.node.get_closest_marker("tenant_of_its_own") and "dsn" not in request.fixturenames:
        session: Connection = request.getfixturevalue("db")
        tenant = one(session, "select current_setting('braid.tenant')")
        with pgbraid.connect(session, tenant, HashEmbedder()) as connected:
            yield connected
    else:
        with pgbraid.connect(request.getfixturevalue("dsn"), embedder=HashEmbedder()) as connected:
            yield connected


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Package]:
    """Yield a Package, which gives the package other SQL files."""
    with pytest.MonkeyPatch.context() as patch:
        yield Package(tmp_path, patch)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of test collections beside the repository; skip the test if the checkout has none."""
    folder = REPOSITORY.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"the test collections are not there ({folder})")
    return folder
