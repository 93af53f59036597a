"""Read the facts that a function, procedure or view states about itself at the top of its file in `sql/`.

    -- role: writer                    who may run or read it; what services may, administrators may
    -- tenants: all                    it acts across tenants, so it belongs to the tables' owner
    -- standby: no                     reads that stay on the primary; yes: writes only a log, and answers without
    -- example: braid.get_document(external_id => 'doc1')
    -- page: guide/documents.md#read         where docs/ describes it

Each fact may be missing, and may continue on lines that begin with `--` and three spaces.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from pgbraid.install.resources import CORE, Resources

ROLES = ("reader", "writer", "definer", "administrator", "service", "monitor", "gateway")
KEYS = ("role", "tenants", "standby", "example", "page")
OBJECT = re.compile(r"^create or replace (function|procedure|view) (braid(?:_calls|_store)?)\.(\w+)", re.M)
VOLATILE = re.compile(r"^volatile$", re.M)
# Matches a fact with its continuation lines.
FACT = re.compile(r"-- (\w+): (.*\n(?:--   .*\n)*)")


@dataclass(frozen=True)
class Header:
    """Hold a file's facts. `name` is qualified; `standby` is None if the file does not say."""

    kind: str
    name: str
    is_volatile: bool
    roles: tuple[str, ...] = ()
    acts_across_tenants: bool = False
    standby: bool | None = None
    example: str | None = None
    page: str | None = None

    @property
    def runs_on_standbys(self) -> bool:
        """Return whether clients may call it on a standby: by default, if it is of the API and only reads."""
        is_read = "reader" in self.roles if self.kind == "view" else not self.is_volatile
        return self.standby if self.standby is not None else is_read and self.name.startswith("braid.")


def read_header(text: str) -> Header | None:
    """Return the facts about a file's object; None without one. Raise ValueError for an unknown word."""
    found = OBJECT.search(text)
    if found is None:
        return None
    kind, schema, name = found.groups()
    facts = _facts(text)
    roles = facts["role"].split(", ") if "role" in facts else []
    if "service" in roles:
        roles.append("administrator")
    if not set(roles) <= set(ROLES) or facts.get("tenants") not in (None, "all"):
        raise ValueError(f"{schema}.{name}: known roles are {', '.join(ROLES)}, and of tenants: all")
    if facts.get("standby") not in (None, "yes", "no"):
        raise ValueError(f"{schema}.{name}: standby is yes or no")
    return Header(
        kind,
        f"{schema}.{name}",
        kind == "procedure" or VOLATILE.search(text) is not None,
        tuple(roles),
        "tenants" in facts,
        facts["standby"] == "yes" if "standby" in facts else None,
        facts.get("example"),
        facts.get("page"),
    )


def _facts(text: str) -> dict[str, str]:
    facts, place = {}, 0
    while (found := FACT.match(text, place)) and found[1] in KEYS:
        facts[found[1]] = found[2].replace("\n--   ", " ").strip()
        place = found.end()
    return facts


def manifests(found: Resources) -> dict[str, str]:
    """Return the manifest of the core and of each part, as the database stores it. It lists extension points, functions
    and views by role, and functions that act across tenants; privileges are made from these lists. names_of_parts tells
    the core which part an option, a setting or a record needs if that part is not installed."""
    made = {}
    for name, text in found.parts.items():
        texts = [file.text for file in found.repeatable if file.owner == name]
        manifest = {**json.loads(text), **_listed(texts), "points": _points(name, texts)}
        if name == CORE:
            manifest["names_of_parts"] = found.names_of_parts
        made[name] = json.dumps(manifest)
    return made


def _points(part: str, texts: Iterable[str]) -> list[str]:
    """Return the extension points of the core or of a part, without functions that extend others' points."""
    names = (
        name for text in texts for _, schema, function in OBJECT.findall(text) for name in [f"{schema}.{function}"]
    )
    return [name for name in names if ".extend_" in name and (part == CORE or not name.endswith(f"_{part}"))]


def _listed(texts: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    lists: dict[str, dict[str, list[str]]] = {"functions": {}, "views": {}}
    for header in filter(None, map(read_header, texts)):
        for role in (*header.roles, *(["all_tenants"] if header.acts_across_tenants else [])):
            lists["views" if header.kind == "view" else "functions"].setdefault(role, []).append(header.name)
    return lists
