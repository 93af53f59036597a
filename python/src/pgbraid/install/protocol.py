"""The SQL of an installation, which the installer and the bundle both run: begin.sql, the migrations, finish.sql and
defaults.sql, in one transaction."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from pgbraid._version import __version__
from pgbraid.install.objects import OBJECTS, POLICIES
from pgbraid.install.resources import content_hash, resources
from pgbraid.install.roles import NAMES

# Quotes whole files, none of which may contain it.
QUOTE = "$braid_file$"


def block(name: str, **values: str) -> str:
    """A block of PL/pgSQL, with all that it needs of the package."""
    found = resources()
    values |= {
        "version": __version__,
        "content_hash": content_hash(),
        "roles": NAMES.strip(),
        "objects": OBJECTS.strip(),
        "policies": POLICIES.strip(),
        "foundation": rows((file.name, file.text) for file in found.foundation),
        "hashes": rows(found.migration_hashes.items()),
        "files": rows((file.name, file.text) for file in found.repeatable),
    }
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], text).strip()


def rows(values: Iterable[tuple[str, ...]]) -> str:
    return ",\n".join(f"    array[{', '.join(map(_quoted, row))}]" for row in values)


def _quoted(text: str) -> str:
    if "\n" not in text and "'" not in text and "\\" not in text:
        return f"'{text}'"
    assert QUOTE not in text
    return QUOTE + text + QUOTE
