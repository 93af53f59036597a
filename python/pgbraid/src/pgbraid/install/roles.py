"""Name the two roles of one database.

Roles are global to the cluster. A member of one database's role has no rights in another database.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

# A role's name has at most 63 bytes and needs no quoting, whatever the database's name. A changed name, and one that
# looks like it, ends in a hash of the database's name. Only installers use names; at run time ownership counts.
NAMES = """
select 'braid_owner_' || n.suffix, 'braid_definer_' || n.suffix
from (
  select case when d.name ~ '^[a-z0-9_]{1,49}$' and d.name !~ '_[0-9a-f]{16}$' then d.name
              else left(regexp_replace(lower(d.name collate "C"), '[^a-z0-9_]+', '_', 'g'), 32)
                   || '_' || left(encode(sha256(convert_to(d.name, 'UTF8')), 'hex'), 16)
         end as suffix
  from (select current_database()::text as name) d
) n
"""


@dataclass(frozen=True)
class DatabaseRoles:
    """Name the roles: `owner` has schemas, tables and functions; `definer` has only functions that policies bind."""

    owner: str
    definer: str


def database_roles(connection: psycopg.Connection[Any]) -> DatabaseRoles:
    row = connection.execute(NAMES).fetchone()
    assert row is not None
    return DatabaseRoles(*row)
