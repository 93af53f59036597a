"""Provide the documents that all pages' examples search, and some of the standard library, as in `make demo`."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import Any

from docs.markdown import README, Block
from pgbraid_tools.standard_library import standard_library_documents

TITLES = (
    "json.decoder.JSONDecodeError",
    "json.decoder.JSONDecoder",
    "collections.OrderedDict",
    "threading.Barrier",
    "threading.Event",
    "asyncio.locks.Barrier",
    "asyncio.tasks.Task",
)
# The document meets every condition of the example of filters.
PRICING_CALL = "call-1"


def example() -> Block:
    """Return the SQL of README.md that writes the example documents."""
    (found,) = [block for block in README.blocks if "braid.upsert_documents(" in block.code]
    return found


@cache
def demo_documents() -> list[dict[str, Any]]:
    wanted = (document for document in standard_library_documents() if document["title"] in TITLES)
    found = list(islice(wanted, len(TITLES)))
    assert len(found) == len(TITLES), "the standard library has changed"
    return found
