"""Check that version, changelog, migrations and dumps agree with each other: docs/internals/releasing.md."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path

import pytest

from pgbraid import __version__
from pgbraid.install.resources import resources

pytestmark = pytest.mark.any_version
ROOT = Path(__file__).parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
HEADINGS = re.findall(r"^## (.+)$", CHANGELOG, re.MULTILINE)
RELEASES = [heading for heading in HEADINGS if heading != "Unreleased"]
GROUPS = ["Search", "Ranking", "Documents", "Tenants", "Parts", "Python", "Command line", "Operations"]
# The digests by the migrations' names.
FROZEN = {
    Path(name).stem: digest
    for digest, name in (line.split() for line in (ROOT / "migrations" / "frozen.sha256").read_text().splitlines())
}
DUMPS = ROOT / "tests" / "install" / "upgrade"


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def test_the_changelog_begins_with_this_version() -> None:
    assert RELEASES[0] == __version__, "CHANGELOG.md begins with another version than _version.py"
    assert HEADINGS in (RELEASES, ["Unreleased", *RELEASES])
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", release) for release in RELEASES)
    assert sorted(set(RELEASES), key=numbers, reverse=True) == RELEASES


def test_entries_of_the_changelog_are_short() -> None:
    """An entry is one line of at most a dozen words that links a page; a release has each group once, in one order."""
    for release in re.split(r"^## ", CHANGELOG, flags=re.MULTILINE)[1:]:
        groups = re.findall(r"^### (.+)$", release, re.MULTILINE)
        assert groups == [group for group in GROUPS if group in groups]
        assert "- " not in release.partition("\n### ")[0], "an entry stands in a group"
    lines = CHANGELOG.splitlines()
    assert [line for line in lines if len(line) > 120] == []
    entries = [line for line in lines if line.startswith("- ")]
    assert [line for line in entries if len(re.sub(r"\]\(\S+\)", "]", line[2:]).split()) > 12] == []
    assert [line for line in entries if not re.search(r"\]\(\S+\.md(#\S+)?\)", line)] == []
    indented = [line for line in lines if line.startswith(" ")]
    assert indented == [], "an entry is one line"


def test_migrations_follow_each_other() -> None:
    """Migrations of the core and of each part form a chain; a part's first migration depends on the core's first."""
    found = resources()
    for owner in found.parts:
        before, prefix = ("", "") if owner == "core" else ("0001.baseline", rf"{owner}\.")
        for number, file in enumerate(found.migrations_of([owner]), 1):
            assert re.fullmatch(rf"{prefix}{number:04}\.[a-z][a-z0-9_]*", file.stem), file.name
            depends = re.findall(r"^-- depends:(.*)$", file.text, re.MULTILINE)
            assert [d.strip() for d in depends] == [before], f"{file.name} must depend on {before or 'nothing'}"
            before = file.stem
    assert len(found.migration_hashes) == len(found.migrations)


def test_released_migrations_are_frozen() -> None:
    changed = [name for name, digest in FROZEN.items() if resources().migration_hashes.get(name) != digest]
    assert changed == [], "released migrations never change: put the change into a new one"
    if HEADINGS[0] != "Unreleased":
        assert resources().migration_hashes.keys() == FROZEN.keys(), "run: make freeze"


def test_every_release_has_its_dump() -> None:
    dumps = {path.name.removesuffix(".sql.xz") for path in DUMPS.glob("*.sql.xz")}
    assert dumps == (set(RELEASES) if FROZEN else set()), "run: make dump"
    assert {path.stem for path in DUMPS.glob("*.json")} == dumps


@pytest.mark.parametrize("release", RELEASES if FROZEN else [])
def test_a_dump_has_the_frozen_migrations(release: str) -> None:
    text = lzma.decompress((DUMPS / f"{release}.sql.xz").read_bytes()).decode()
    copied = re.search(r"^COPY braid_store\.installation \((.*)\) FROM stdin;\n(.*)$", text, re.MULTILINE)
    assert copied
    row = dict(zip(copied[1].split(", "), copied[2].split("\t"), strict=True))
    migrations = json.loads(row["migrations"])
    assert row["version"] == release
    assert migrations == {name: FROZEN.get(name) for name in migrations}, "make freeze, then make dump"
    if release == RELEASES[0]:
        assert migrations == FROZEN
