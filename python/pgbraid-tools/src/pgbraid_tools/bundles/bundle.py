"""Write the installer as SQL, for environments that run only SQL: Supabase's SQL editor and its migrations."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from pgbraid._version import __version__
from pgbraid.errors import InvalidArgumentError
from pgbraid.install import session
from pgbraid.install.choice import Choice, choose, with_needs
from pgbraid.install.frozen import check_frozen
from pgbraid.install.protocol import PARTS, fill, literals, part, rows
from pgbraid.install.resources import CORE, Resources

DECLARES = re.compile(r"^create ", re.M)
FOLDER = Path(__file__).parent
OUTER = "$braid_bundle$"
# Sizes are in bytes. Supabase's SQL editor refuses more than some 980,000 bytes, and its command line refuses
# statements of more than 262,144 bytes.
EDITOR_SIZE = 900_000
STATEMENT_SIZE = 200_000
# The variable of a bundle that users may set.
EXPOSED = """\
  -- Which schemas the Data API exposes now, such as 'public, graphql_public': braid is added to them. Left empty, add
  -- braid in the dashboard, under Project Settings, Data API, Exposed schemas; SQL cannot see what is chosen there.
  v_exposed text := '';"""


def bundle(choice: Choice | None = None) -> str:
    """Return two SQL statements. The first installs the core and the chosen parts, like `install`, records the
    installation and grants privileges to Supabase's roles. Unless `choice` says otherwise, they are the parts of a new
    database. The second statement reports the result."""
    check_frozen()
    choice = choice or choose((), (), ())
    parts = choice.parts(None)
    return written(
        (part(name, choice.found, parts) for name in PARTS), supabase=fill(FOLDER / "supabase.sql"), exposed=EXPOSED
    )


def part_bundles(names: Sequence[str | os.PathLike[str]]) -> dict[str, str]:
    """Return bundles by part name; each adds its part to an installation of this version. A needed part comes before
    the parts that need it."""
    check_frozen()
    choice = choose((), names, ())
    return {name: _addition(name, choice.found) for name in choice.found.parts if name in choice.added}


def _addition(name: str, found: Resources) -> str:
    if name == CORE:
        raise InvalidArgumentError(
            "the core cannot be added to an installation", hint="write its bundle: pgbraid bundle --only core"
        )
    wanted = rows((each, found.part_hashes[each]) for each in found.parts if each in with_needs(found, [name]))
    # These core files set the policies and privileges of every object, also of a part's objects.
    core = (file for file in found.repeatable if file.owner == CORE and not DECLARES.search(file.text))
    own = (file for file in found.repeatable if file.owner == name)
    files = sorted([*core, *own], key=found.repeatable.index)
    texts = [
        part(FOLDER / "addition.sql", found, (name,), version=__version__, name=literals([name]), wanted=wanted),
        *([part("migrate.sql", found, (name,))] if found.migrations_of([name]) else []),
        part(
            "finish.sql",
            found,
            (name,),
            tries="1",
            adds="true",
            files=rows((file.name, file.text) for file in files),
        ),
    ]
    return written(texts)


def written(steps: Iterable[str], *, supabase: str = "null", exposed: str = "") -> str:
    """Return two statements: one that runs the steps, all or nothing, and one that reports the result."""
    text = fill(
        FOLDER / "bundle.sql",
        version=__version__,
        parts=";\n\n".join(steps),
        supabase=supabase,
        exposed=exposed,
        attempts=str(session.ATTEMPTS),
        retried=literals(session.RETRIED),
        holders=session.HOLDERS.strip(),
        pinned=json.dumps(session.PINNED),
    )
    assert text.count(OUTER) == 2
    return text + "\n"


def bundle_parts(choice: Choice | None = None) -> dict[str, str]:
    """Return the bundle by file name, in pieces that the SQL editor takes."""
    return pieces(bundle(choice))


def pieces(text: str) -> dict[str, str]:
    """Return a statement by file name, in pieces that the SQL editor takes: all but the last hand their text over."""
    statement, said = divided(text)
    texts = _statements(statement, EDITOR_SIZE)
    names = [_name(len(texts)) % number for number in range(1, len(texts) + 1)]
    return dict(zip(names, [*texts[:-1], texts[-1] + said], strict=True))


def bundle_migration(texts: Iterable[str]) -> str:
    """Return bundles in statements that `supabase db push` takes."""
    return "".join(text for each in texts for text in _statements(divided(each)[0], STATEMENT_SIZE))


def divided(text: str) -> tuple[str, str]:
    """Return the statement that installs, which is quoted by dollars, and the statement that reports."""
    end = text.rindex("$;\n") + 1
    return text[:end], text[end:].removeprefix(";")


def _statements(text: str, size: int) -> list[str]:
    pieces = [""]
    for line in text.splitlines(keepends=True):
        # Sizes count ASCII characters.
        if len(pieces[-1]) + len(line) > size:
            pieces.append("")
        pieces[-1] += line
    digest = hashlib.sha256(text.encode()).hexdigest()
    count = len(pieces)
    return [
        fill(
            FOLDER / "bundle_part.sql",
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
