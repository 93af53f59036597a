"""The two roles that are one database's own.

Roles belong to the cluster. Who may act for a role that is named for one database gains nothing in another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

# A name of 63 bytes that needs no quoting, whatever the database is called. One that must be changed for that, or that
# could be taken for a changed one, ends in a hash of the database's name. Only installers read this: at run time what
# counts is who owns what.
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
    """`owner` has schemas, tables and functions; `definer` has the functions that policies bind, and owns no table."""

    owner: str
    definer: str


def database_roles(connection: psycopg.Connection[Any]) -> DatabaseRoles:
    row = connection.execute(NAMES).fetchone()
    assert row is not None
    return DatabaseRoles(*row)
