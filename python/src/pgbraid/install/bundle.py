"""The installer as one SQL statement, for where only SQL can be run: Supabase's SQL editor."""

from __future__ import annotations

import json

from pgbraid._version import __version__
from pgbraid.install import session
from pgbraid.install.protocol import PARTS, fill, literals, part
from pgbraid.install.resources import check_frozen

OUTER = "$braid_bundle$"


def bundle() -> str:
    """One statement that does what `install` does and records it in the same way, and grants what Supabase's roles
    need."""
    check_frozen()
    written = fill(
        "bundle.sql",
        version=__version__,
        parts=";\n\n".join(map(part, PARTS)),
        supabase=fill("supabase.sql"),
        attempts=str(session.ATTEMPTS),
        retried=literals(session.RETRIED),
        holders=session.HOLDERS.strip(),
        pinned=json.dumps(session.PINNED),
    )
    assert written.count(OUTER) == 2
    return written + "\n"
