"""The installer as one SQL statement, for where only SQL can be run: Supabase's SQL editor."""

from __future__ import annotations

from pgbraid.install.migrations import in_order
from pgbraid.install.protocol import block, rows
from pgbraid.install.resources import check_frozen, resources

OUTER = "$braid_bundle$"


def bundle() -> str:
    """One statement that does what `install` does and records it in the same way, and grants what Supabase's roles
    need."""
    check_frozen()
    texts = {file.name: file.text for file in resources().migrations}
    written = block(
        "bundle.sql",
        begin=block("begin.sql"),
        migrations=rows((found.id, found.hash, texts[f"{found.id}.sql"]) for found in in_order()),
        finish=block("finish.sql"),
        defaults=block("defaults.sql"),
    )
    assert written.count(OUTER) == 2
    return written + "\n"
