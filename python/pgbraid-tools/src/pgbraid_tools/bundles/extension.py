"""Write pgbraid as an extension: files for a server's folder of extensions, and SQL for pg_tle.

The tables belong to the extension, and a dump has all their rows (release.sql). One script creates and updates.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from pgbraid._version import __version__
from pgbraid.errors import InvalidArgumentError
from pgbraid.install.choice import Choice
from pgbraid.install.frozen import check_frozen
from pgbraid.install.protocol import PARTS, fill, literals, part
from pgbraid_tools.bundles.bundle import FOLDER, divided, written

COMMENT = "Hybrid search: BM25 full text, pgvector and their fusion, as SQL functions"
# Names of what pgbraid makes at run time: vector shards, days of the search log, triggers of synced tables.
GROWN = "^(vectors|search_log|note_rows)_[0-9]+$"
VERSION = re.compile(r"\d+\.\d+\.\d+")
# psql must not run the script: what it makes would not belong to the extension.
ECHO = '\\echo Use "create extension pgbraid" to load this file. \\quit\n'
REPOSITORY = "https://github.com/pgbraid/pgbraid"


def extension(choice: Choice, earlier: Sequence[str] = ()) -> dict[str, str]:
    """Return the files of the extension by name: for `make install`, for PGXN and for dbdev. `earlier` are versions
    from which it can be updated. Raise `InvalidArgumentError` for what is no earlier version."""
    for version in earlier:
        if not VERSION.fullmatch(version) or _numbers(version) >= _numbers(__version__):
            raise InvalidArgumentError(
                f"{version!r} is not a version before {__version__}",
                hint="give a version that has been released as an extension, such as 0.1.0",
            )
    script = ECHO + _script(choice)
    updates = {f"pgbraid--{version}--{__version__}.sql": script for version in earlier}
    return {
        "pgbraid.control": fill(FOLDER / "extension.control", version=__version__, comment=COMMENT) + "\n",
        f"pgbraid--{__version__}.sql": script,
        **updates,
        "META.json": json.dumps(_metadata(), indent=2) + "\n",
        "Makefile": fill(FOLDER / "extension.mk") + "\n",
        "README.md": fill(FOLDER / "extension.md", version=__version__) + "\n",
    }


def trusted_extension(choice: Choice) -> str:
    """Return one SQL statement that brings the extension to a database with pg_tle, also over an older version."""
    text = fill(FOLDER / "tle.sql", version=__version__, comment=literals([COMMENT]), script=_script(choice))
    assert text.count("$braid_tle") == 4
    return text + "\n"


def _script(choice: Choice) -> str:
    check_frozen()
    found, parts = choice.found, choice.parts(None)
    *steps, _ = PARTS  # The extension makes no tenant and no collection: a restored dump brings its own.
    texts = [part(name, found, parts, **({"extension": "true"} if name == "finish.sql" else {})) for name in steps]
    enlist, release = (part(FOLDER / name, found, parts, grown=GROWN) for name in ("enlist.sql", "release.sql"))
    script = fill(FOLDER / "extension.sql", version=__version__, script=divided(written([enlist, *texts, release]))[0])
    # PostgreSQL replaces these in scripts of extensions.
    assert not re.search(r"@ext(schema|owner)|MODULE_PATHNAME|^\\\\echo", script, re.M)
    return script + "\n"


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def _metadata() -> dict[str, object]:
    """Return what PGXN asks for."""
    return {
        "name": "pgbraid",
        "abstract": COMMENT,
        "version": __version__,
        "maintainer": "the pgbraid authors",
        "license": "postgresql",
        "prereqs": {"runtime": {"requires": {"PostgreSQL": "16.0.0", "vector": "0.8.0"}}},
        "provides": {
            "pgbraid": {
                "abstract": COMMENT,
                "file": f"pgbraid--{__version__}.sql",
                "docfile": "README.md",
                "version": __version__,
            }
        },
        "resources": {"repository": {"url": f"{REPOSITORY}.git", "web": REPOSITORY, "type": "git"}},
        "meta-spec": {"version": "1.0.0", "url": "https://pgxn.org/meta/spec.txt"},
        "tags": ["search", "full text", "bm25", "vector", "hybrid search"],
    }
