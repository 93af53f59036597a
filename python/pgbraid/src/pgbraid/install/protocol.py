"""Make the SQL of an installation, which the installer and the bundle both run: PARTS, in one transaction."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from pgbraid._version import __version__
from pgbraid.install import session
from pgbraid.install.headers import manifests
from pgbraid.install.resources import PRIVILEGES, QUOTE, Resources
from pgbraid.install.roles import NAMES

FOLDER = Path(__file__).parent
PARTS = ("begin.sql", "migrate.sql", "finish.sql", "defaults.sql")

NOT_ASCII = re.compile(r"[^\x00-\x7f]")


def part(name: str | Path, found: Resources, parts: Collection[str], /, **values: str) -> str:
    """Return one of PARTS, or another step: a PL/pgSQL block with everything from the package that it needs to install
    the core and these parts. `values` fill further placeholders in double braces."""
    return fill("part.sql", roles=NAMES.strip(), part=fill(name, **{**_values(name, found, parts), **values}))


def _values(name: str | Path, found: Resources, parts: Collection[str]) -> dict[str, str]:
    if name == "begin.sql":
        foundation = rows((file.name, file.text) for file in found.foundation)
        return {
            "version": __version__,
            "foundation": foundation,
            "hashes": rows(found.migration_hashes.items()),
            "parts": literals(parts),
        }
    if name == "migrate.sql":
        # yoyo takes a tenth of a second to import.
        from pgbraid.install.migrations import record, record_tables

        made = ((file.name, file.text, file.stem, record(file.stem)) for file in found.migrations_of(parts))
        return {"migrations": rows(made), "record": record_tables(), "lock_timeout": session.LOCK_TIMEOUT}
    if name == "finish.sql":
        return {
            "version": __version__,
            "hashes": rows((file.stem, file.content_hash) for file in found.migrations_of(parts)),
            "files": rows((file.name, file.text) for file in found.repeatable if file.owner in parts),
            "privileges": PRIVILEGES,
            "tries": "3",
            **dict.fromkeys(("adds", "extension"), "false"),
            "parts": rows(
                (name, manifest, found.part_hashes[name])
                for name, manifest in manifests(found).items()
                if name in parts
            ),
        }
    return {}


def fill(path: str | Path, /, **values: str) -> str:
    """Return a file of this or another folder, with its placeholders filled."""
    text = (FOLDER / path).read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], text).strip()


def rows(values: Iterable[tuple[str, ...]]) -> str:
    return ",\n".join(f"    array[{literals(row)}]" for row in values)


def literals(values: Iterable[str]) -> str:
    return ", ".join(map(_quoted, values))


def _quoted(text: str) -> str:
    """Return an ASCII literal, which every client encoding can represent."""
    if not text.isascii():
        escaped = text.replace("\\", "\\\\").replace("'", "''")
        return f"E'{NOT_ASCII.sub(_escape, escaped)}'"
    if "\n" not in text and "'" not in text and "\\" not in text:
        return f"'{text}'"
    assert QUOTE not in text
    return QUOTE + text + QUOTE


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
