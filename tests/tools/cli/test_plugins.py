"""Test commands of other packages: entry points `pgbraid.commands`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import distribution, entry_points
from pathlib import Path

import psycopg
import pytest

from pgbraid import _tools
from pgbraid._version import __version__
from pgbraid.cli import COMMANDS, RENAMED, plugins
from pgbraid.errors import NotSupportedError
from pgbraid.install import clusters

pytestmark = pytest.mark.any_version

ROOT = Path(__file__).parents[3]
PROGRAM = "from pgbraid.cli import main; main()"
# Hide the entry points of the tools, as if the package were not installed.
HIDE_TOOLS = """
import importlib.metadata as metadata
every = metadata.entry_points
metadata.entry_points = lambda **of: [found for found in every(**of) if found.dist.name != "pgbraid-tools"]
"""
GREET = """
import click

@click.command(short_help="Greet.")
@click.argument("name")
def greet(name: str) -> None:
    click.echo(f"hello {name}")
"""


def package(folder: Path, name: str, commands: dict[str, str], version: str = "1.0", **modules: str) -> None:
    """Write a distribution as pip installs it, with modules and commands."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [f"{command} = {value}" for command, value in commands.items()]
    (info / "entry_points.txt").write_text("\n".join(["[pgbraid.commands]", *lines, ""]))
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text)


def call(folder: Path, *arguments: str, program: str = PROGRAM) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_a_package_adds_a_command(tmp_path: Path) -> None:
    package(tmp_path, "greetings", {"greet": "greetings:greet"}, greetings=GREET)
    done = call(tmp_path, "greet", "Ana")
    assert (done.returncode, done.stdout, done.stderr) == (0, "hello Ana\n", "")
    assert "  greet                 Greet.\n" in call(tmp_path, "--help").stdout
    assert "Usage: pgbraid greet [OPTIONS] NAME" in call(tmp_path, "greet", "--help").stdout
    wrong = call(tmp_path, "greet")
    assert (wrong.returncode, wrong.stderr.splitlines()[-1]) == (2, "hint: run: pgbraid greet --help")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import nothing_like_this", "does not load: ModuleNotFoundError: No module named 'nothing_like_this'"),
        ("raise ValueError('two\\nlines')", "does not load: ValueError: two lines"),
        ("raise SystemExit(3)", "does not load: SystemExit: 3"),
        ("other = 1", "does not load: AttributeError: module 'broken' has no attribute 'greet'"),
        ("greet = print", "is no command of click: broken:greet"),
    ],
)
def test_a_command_that_does_not_load_leaves_the_others(tmp_path: Path, text: str, reason: str) -> None:
    package(tmp_path, "broken", {"hail": "broken:greet"}, broken=text)
    package(tmp_path, "greetings", {"greet": "greetings:greet"}, greetings=GREET)
    line = f"pgbraid: pgbraid hail of broken {reason}\n"
    listed = call(tmp_path, "--help")
    assert (listed.returncode, listed.stderr) == (0, line)
    assert " greet " in listed.stdout and " workbench " in listed.stdout and " hail " not in listed.stdout
    broken = call(tmp_path, "hail")
    assert (broken.returncode, broken.stderr) == (2, line)
    assert call(tmp_path, "greet", "Ana").stdout == "hello Ana\n"


def test_the_first_command_of_a_name_has_it(tmp_path: Path) -> None:
    """The driver's commands win, then the tools' commands, then packages in the order of their names."""
    for name in ("b-greetings", "a-greetings"):
        commands = {"dsn": f"{name[0]}:greet", "size": f"{name[0]}:greet", "greet": f"{name[0]}:greet"}
        package(tmp_path, name, commands, **{name[0]: GREET.replace("hello", name)})
    assert call(tmp_path, "greet", "Ana").stdout == "a-greetings Ana\n"
    own = call(tmp_path, "dsn", "--dsn", "host=x")
    assert (own.returncode, own.stderr) == (0, "")
    assert "Usage: pgbraid size [OPTIONS]\n" in call(tmp_path, "size", "--help").stdout
    listed = call(tmp_path, "--help")
    assert sorted(listed.stderr.splitlines()) == sorted(
        f"pgbraid: {package} has a command {name}, too, which is left out: it is one of {owner}"
        for package, name, owner in [
            ("a-greetings", "dsn", "pgbraid"),
            ("a-greetings", "size", "pgbraid-tools"),
            ("b-greetings", "dsn", "pgbraid"),
            ("b-greetings", "greet", "a-greetings"),
            ("b-greetings", "size", "pgbraid-tools"),
        ]
    )


def test_commands_of_the_driver_look_for_no_packages(tmp_path: Path) -> None:
    loads = "import sys; from pgbraid.cli import cli; cli.main(['dsn', '--dsn', 'host=x'], standalone_mode=False)\n"
    done = call(tmp_path, program=loads + "print('pgbraid.cli.plugins' in sys.modules)")
    assert done.stdout.splitlines()[-1] == "False"


def test_the_driver_knows_the_commands_of_the_tools() -> None:
    assert (
        sorted(
            plugins.FORMER.get(found.name, found.name)
            for found in entry_points(group=plugins.GROUP)
            if found.dist and found.dist.name == _tools.PACKAGE
        )
        == plugins.COMMANDS
    )
    assert not set(plugins.COMMANDS) & COMMANDS.keys()
    extras = set(distribution("pgbraid").metadata.get_all("Provides-Extra") or [])
    assert {*plugins.EXTRAS.values(), "tools"} <= extras and plugins.EXTRAS.keys() <= set(plugins.COMMANDS)


def test_old_names_of_commands_are_refused_with_the_new_one(tmp_path: Path) -> None:
    assert set(RENAMED.values()) <= {*COMMANDS, *plugins.COMMANDS}
    for old, new in RENAMED.items():
        done = call(tmp_path, old, "--any")
        assert (done.returncode, done.stdout, done.stderr) == (
            2,
            "",
            f"pgbraid: there is no command pgbraid {old}\nhint: its name is now: pgbraid {new}\n",
        )
    package(tmp_path, "greetings", {"export": "greetings:greet"}, greetings=GREET)
    assert call(tmp_path, "export", "Ana").stdout == "hello Ana\n"


@pytest.mark.parametrize("page", ["docs/reference/commands.md", "python/pgbraid-tools/README.md"])
def test_pages_name_all_commands_of_the_tools(page: str) -> None:
    named = set(re.findall(r"`(?:pgbraid )?([\w-]+)`", (ROOT / page).read_text()))
    assert set(plugins.COMMANDS) <= named


def test_a_command_that_is_not_installed_says_what_to_install(tmp_path: Path) -> None:
    asked = [*plugins.COMMANDS, "workbnech"]
    program = f"{HIDE_TOOLS}\nfrom pgbraid.cli import _run\nfor name in {asked}: print(_run([name, '--any']))"
    done = call(tmp_path, program=program)
    assert done.stdout.split() == ["2"] * len(asked)
    lines = done.stderr.splitlines()
    assert lines[: len(plugins.COMMANDS)] == [
        f"pgbraid: pgbraid {name} is a command of the package pgbraid-tools;"
        f" run: pip install 'pgbraid[{plugins.EXTRAS.get(name, 'tools')}]'"
        for name in plugins.COMMANDS
    ]
    assert lines[-2:] == ["pgbraid: No such command 'workbnech'.", "hint: run: pgbraid --help"]
    listed = call(tmp_path, "--help", program=HIDE_TOOLS + PROGRAM)
    assert (listed.returncode, listed.stderr) == (0, "")
    commands, _, rest = listed.stdout.partition("Not installed: ")
    assert " search " in commands and " workbench " not in commands
    assert "ingest" in rest and " ".join(rest.split()).endswith("come by: pip install 'pgbraid[tools]'")


def test_tools_of_another_version_are_refused(tmp_path: Path) -> None:
    package(tmp_path, "pgbraid-tools", {"size": "pgbraid_tools.cli.size:size"}, version="0.0.9")
    done = call(tmp_path, "size")
    line = (
        f"pgbraid: pgbraid-tools 0.0.9 is installed beside pgbraid {__version__}, which needs its own version; run:"
        f" pip install 'pgbraid-tools=={__version__}'\n"
    )
    assert (done.returncode, done.stderr) == (2, line)
    listed = call(tmp_path, "--help")
    assert (listed.returncode, listed.stderr) == (0, line)
    assert " search " in listed.stdout and " size " not in listed.stdout


def test_a_cluster_without_the_tools_is_refused(db: psycopg.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    assert clusters.cluster_of(db) is None
    db.execute("create schema braid_shards; create table braid_shards.node_shards ()")
    assert clusters.cluster_of(db).__name__ == "pgbraid_tools.cluster"
    monkeypatch.setattr(_tools, "entry_points", lambda **_: [])
    with pytest.raises(NotSupportedError, match="pgbraid-tools") as caught:
        clusters.cluster_of(db)
    assert caught.value.hint == "pip install 'pgbraid[tools]'"


def test_old_names_of_options_are_refused_with_the_new_one(tmp_path: Path) -> None:
    for arguments, name in ((("jobs", "list"), "--embedding-model"), (("learn", "q"), "--kind")):
        done = call(tmp_path, *arguments, "--model", "x")
        assert (done.returncode, done.stderr.splitlines()[-1]) == (2, f"hint: its name is now: {name}")
