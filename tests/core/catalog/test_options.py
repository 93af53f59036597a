"""Everything derived from the search options follows from their declarations."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from pgbraid.reranking import SHAPING

pytestmark = pytest.mark.any_version
ROOT = Path(__file__).parents[3]


def test_what_is_made_of_options_is_up_to_date() -> None:
    command = [sys.executable, "python/pgbraid/tools/search_options.py", "--check"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (checked.returncode, checked.stdout) == (0, "")


def test_each_option_of_the_core_has_an_attribute(shared_db: psycopg.Connection) -> None:
    """Each option has an attribute of search_options: without one, it would be read and then forgotten."""
    without = shared_db.execute(
        "select k.name from braid_store.known_search_options() k"
        " left join pg_catalog.pg_attribute a"
        "   on a.attrelid = 'braid_store.search_options'::regclass and a.attname = k.attribute"
        " where a.attname is null and k.types not in ('{}', '{keys}')"
        "   and k.name not in (select e.name from braid_store.extend_search_options() e)"
    ).fetchall()
    assert without == []


def test_the_client_knows_what_shapes_rows() -> None:
    """With a reranker, the client passes these options to arrange_results."""
    options = json.loads((ROOT / "sql/core/80_search/50_request/options.json").read_text())
    shaping = {name for name, option in options.items() if option.get("part") == "arrangement"}
    assert shaping == SHAPING, "name it in SHAPING of python/pgbraid/src/pgbraid/reranking.py"
