"""The installer as SQL, for where only SQL can be run: Supabase's SQL editor and its migrations."""

from __future__ import annotations

import hashlib
import json

from pgbraid._version import __version__
from pgbraid.install import session
from pgbraid.install.frozen import check_frozen
from pgbraid.install.protocol import PARTS, fill, literals, part
from pgbraid.install.resources import resources

OUTER = "$braid_bundle$"
# In bytes. Supabase's SQL editor refuses what has more than some 980,000, and its command line statements of more than
# 262,144.
EDITOR_SIZE = 900_000
STATEMENT_SIZE = 200_000


def bundle() -> str:
    """Return one statement that does what `install` does, records it in the same way and grants what Supabase's roles
    need, and a second one that tells what was done."""
    check_frozen()
    found = resources()
    written = fill(
        "bundle.sql",
        version=__version__,
        parts=";\n\n".join(part(name, found, found.parts) for name in PARTS),
        supabase=fill("supabase.sql"),
        attempts=str(session.ATTEMPTS),
        retried=literals(session.RETRIED),
        holders=session.HOLDERS.strip(),
        pinned=json.dumps(session.PINNED),
    )
    assert written.count(OUTER) == 2
    return written + "\n"


def bundle_parts() -> dict[str, str]:
    """Return the same by file name, in parts that the SQL editor takes: all but the last only hand their text over."""
    statement, said = _divided(bundle())
    texts = _statements(statement, EDITOR_SIZE)
    names = [_name(len(texts)) % number for number in range(1, len(texts) + 1)]
    return dict(zip(names, [*texts[:-1], texts[-1] + said], strict=True))


def bundle_migration() -> str:
    """Return the same in statements that `supabase db push` takes."""
    statement, _ = _divided(bundle())
    return "".join(_statements(statement, STATEMENT_SIZE))


def _divided(text: str) -> tuple[str, str]:
    """The statement that installs, and the one that tells what was done."""
    end = text.rindex(OUTER) + len(OUTER)
    return text[:end], text[end:].removeprefix(";")


def _statements(text: str, size: int) -> list[str]:
    pieces = [""]
    for line in text.splitlines(keepends=True):
        # Of ASCII characters.
        if len(pieces[-1]) + len(line) > size:
            pieces.append("")
        pieces[-1] += line
    digest = hashlib.sha256(text.encode()).hexdigest()
    count = len(pieces)
    return [
        fill(
            "bundle_part.sql",
            version=__version__,
            number=str(number),
            count=str(count),
            file=_name(count).replace("%d", "%s"),
            hash=digest,
            text=piece,
        )
        + "\n"
        for number, piece in enumerate(pieces, 1)
    ]


def _name(count: int) -> str:
    return f"pgbraid-{__version__}-%d-of-{count}.sql"
