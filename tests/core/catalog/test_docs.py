"""Every function, table, setting and file that the pages for developers of pgbraid name exists."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_version
ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
PAGES = [
    DOCS / "security.md",
    *sorted((DOCS / "lab").glob("*.md")),
    *sorted((DOCS / "internals").glob("*.md")),
]
# These names belong to PostgreSQL or to other projects.
FOREIGN = {
    "auto_explain",
    "citus_rebalance_start",
    "enable_partition_pruning",
    "hit_rate_at_k",
    "huge_pages",
    "isolate_tenant_to_new_shard",
    "locomo_bench",
    "log_nested_statements",
    "min_dynamic_shared_memory",
    "pg_textsearch",
    "recall_at_k",
    "user_metadata",
}
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())


@cache
def code() -> str:
    """Return the text of all files that the pages may be about."""
    files = [
        path
        for folder in ("sql", "migrations", "python", "tests", "docker")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in {".sql", ".py", ".ts", ".yaml", ".txt"} and path != Path(__file__)
    ]
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@cache
def names() -> frozenset[str]:
    return frozenset(re.findall(r"\w+", code()))


@cache
def functions() -> frozenset[str]:
    """Return the functions of sql/, and the functions that they call."""
    called = re.findall(r"\b(\w+)\(", "\n".join(path.read_text() for path in (ROOT / "sql").rglob("*.sql")))
    return frozenset(called) | {path.stem for path in (ROOT / "sql").rglob("*.sql")}


def prose(page: Path) -> str:
    """Return a page without its examples. Its diagrams stay, because they name functions."""
    return re.sub(r"^```(?!mermaid).*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


@each_page
def test_names_are_there(page: Path) -> None:
    text = re.sub(r"\]\([^)]*\)|`[^`\n]*/[^`\n]*`", "", prose(page))
    used = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", text))
    assert used - names() - FOREIGN == set()


@each_page
def test_functions_are_there(page: Path) -> None:
    """Each function that a page writes with parentheses is in sql/, or sql/ calls it."""
    used = set(re.findall(r"`(\w+)\(\)`", page.read_text()))
    assert used - functions() == set()


@each_page
def test_paths_lead_somewhere(page: Path) -> None:
    spans = re.findall(r"`([^`\n]+)`", prose(page))
    paths = [span for span in spans if re.match(r"(sql|migrations|python|tests|docker|docs)/[^<*]*$", span)]
    assert [path for path in paths if not (ROOT / path).exists()] == []
