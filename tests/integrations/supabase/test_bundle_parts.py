"""Test the bundle in parts that Supabase's SQL editor takes, and as a migration for its command line."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from integrations.supabase.test_bundle import paste
from pgbraid import __version__
from pgbraid.cli import cli
from pgbraid.install import install
from pgbraid.install.choice import choose
from pgbraid_tools.bundles.bundle import bundle, bundle_migration, bundle_parts, part_bundles
from support import snapshot

pytestmark = pytest.mark.any_version
# The editor refuses queries of more than some 980,000 bytes, and the command line statements of more than 262,144.
MOST_BYTES = 980_000
MOST_BYTES_OF_A_STATEMENT = 262_144


def test_each_is_small_enough() -> None:
    parts = bundle_parts()
    assert len(parts) >= 2
    assert [name for name, text in parts.items() if len(text.encode()) > MOST_BYTES] == []
    statements = bundle_migration([bundle()]).split("$braid_bundle_part$;\n")
    assert max(len(statement.encode()) for statement in statements) < MOST_BYTES_OF_A_STATEMENT
    assert all(text.isascii() for text in [*parts.values(), *statements])


def test_parts_install_what_the_bundle_does(project: str) -> None:
    texts = list(bundle_parts().values())
    for text in texts[:-1]:
        for _ in range(2):  # each part may be run again
            with psycopg.connect(project, autocommit=True) as connection:
                connection.execute(text.encode())
    with psycopg.connect(project) as connection:
        assert connection.execute("select to_regnamespace('braid')").fetchone() == (None,)
    assert paste(project, texts[-1])[0].startswith(f"pgbraid {__version__} is installed, with: core")
    made = snapshot.definitions(project)
    assert not any("braid_bundle" in name for _, name in made)
    paste(project, bundle())
    assert snapshot.definitions(project) == made
    assert not install(project).changed


def test_the_owner_of_a_project_adds_a_part_to_the_core(project: str) -> None:
    """The owner is no superuser."""
    *first, last = bundle_parts(choose(["core"], (), ())).values()
    with psycopg.connect(project, autocommit=True) as connection:
        for text in first:
            connection.execute(text.encode())
    paste(project, last)
    for name, text in part_bundles(["sync", "monitoring"]).items():
        assert paste(project, text)[0].startswith(f"pgbraid {__version__} is installed, with: core"), name
    added = snapshot.definitions(project)
    paste(project, bundle(choose(["sync", "monitoring"], (), ())))
    assert snapshot.definitions(project) == added
    report = install(project)
    assert not report.changed and report.parts == ("core", "monitoring", "sync")


def test_out_of_order_the_right_one_is_named(project: str) -> None:
    parts = bundle_parts()
    names, texts = list(parts), list(parts.values())
    with psycopg.connect(project, autocommit=True) as connection:
        for run, missing in ((-1, 0), (1, 0), (0, None), (2, 1), (1, None), (0, None)):
            if missing is None:
                connection.execute(texts[run].encode())
                continue
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="has not been run") as caught:
                connection.execute(texts[run].encode())
            assert str(caught.value.diag.message_hint).startswith(f"Run {names[missing]} first")
        for text in texts[2:-1]:
            connection.execute(text.encode())
    assert paste(project, texts[-1])


def test_parts_of_another_version_or_changed_ones_are_not_mixed(project: str) -> None:
    texts = list(bundle_parts().values())
    with psycopg.connect(project, autocommit=True) as connection:
        for text in texts[:-1]:
            # An editor on Windows changes line ends, which do not matter.
            connection.execute(text.replace("\n", "\r\n").encode())
        connection.execute("update braid_bundle.parts set content = content || ' ' where number = 1")
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="not as they were written") as caught:
            connection.execute(texts[-1].encode())
        assert "begin again with" in str(caught.value.diag.message_hint)
        connection.execute("update braid_bundle.parts set bundle = 'another'")
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="part 1 of"):
            connection.execute(texts[-1].encode())
        for text in texts:
            connection.execute(text.encode())
    assert not install(project).changed


def test_a_migration_installs_what_the_bundle_does(project: str, tmp_path: Path) -> None:
    folder = tmp_path / "supabase" / "migrations"
    result = CliRunner().invoke(cli, ["bundle", "--migration", str(folder)])
    assert result.exit_code == 0, result.output
    (file,) = folder.iterdir()
    assert file.name[:14].isdigit() and file.name[14:].startswith("_pgbraid_")
    # `supabase db push` runs the migration in one transaction, too.
    with psycopg.connect(project) as connection:
        for statement in file.read_text().split("$braid_bundle_part$;\n")[:-1]:
            connection.execute(f"{statement}$braid_bundle_part$".encode())
    made = snapshot.definitions(project)
    paste(project, bundle())
    assert snapshot.definitions(project) == made


def test_the_command_writes_parts(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["bundle", "--parts", str(tmp_path)])
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == bundle_parts()
    assert all(file.name in result.output for file in tmp_path.iterdir())
    assert CliRunner().invoke(cli, ["bundle", "--parts", "a", "--output", "b"]).exit_code == 2
