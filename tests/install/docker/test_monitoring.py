"""Check that postgres_exporter's queries give their metrics to a login that only monitors, and that the dashboard
shows no other metrics."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from support.calls import upsert
from support.nearest import maintain

Connection = psycopg.Connection[Any]
DOCKER = Path(__file__).parents[3] / "docker"
QUERIES: dict[str, dict[str, Any]] = yaml.safe_load((DOCKER / "postgres_exporter" / "queries.yml").read_text())
DASHBOARD: dict[str, Any] = json.loads((DOCKER / "grafana" / "dashboard.json").read_text())
USAGES = {"LABEL", "GAUGE", "COUNTER"}
# The functions and keywords of PromQL that are not names of metrics or labels.
WORDS = {"sum", "max", "min", "by", "delta", "deriv", "topk", "clamp_min", "label_values"}


def columns(namespace: str) -> dict[str, str]:
    """Return each column's usage."""
    return {name: about["usage"] for metric in QUERIES[namespace]["metrics"] for name, about in metric.items()}


@pytest.fixture
def filled(db: Connection) -> Connection:
    upsert(db, [{"external_id": f"d{n}", "content": f"A heron number {n}."} for n in range(20)])
    db.execute("select braid.record_embedding_usage('default', 'm', 1, 2, 3)")
    db.execute("select braid.set_search_log('default', 'all')")
    db.execute("select braid.logged_search('heron')")
    maintain(db)
    db.execute("update braid_store.search_hours set hour = hour - interval '1 hour'")
    return db


@pytest.mark.parametrize("namespace", QUERIES)
def test_a_query_gives_what_it_names(
    filled: Connection, make_login: Callable[..., str], connect_as: Callable[..., Connection], namespace: str
) -> None:
    cursor = connect_as(make_login("watcher", "monitor")).execute(QUERIES[namespace]["query"])
    rows = cursor.fetchall()
    usages = columns(namespace)
    assert [column.name for column in cursor.description or ()] == list(usages) and rows
    assert set(usages.values()) <= USAGES
    labels = [place for place, usage in enumerate(usages.values()) if usage == "LABEL"]
    for row in rows:
        for place, value in enumerate(row):
            if place in labels:
                assert isinstance(value, str)
            else:
                assert value is None or float(value) >= 0
    # Prometheus refuses two values with the same name and labels.
    assert len({tuple(row[place] for place in labels) for row in rows}) == len(rows)


@pytest.mark.any_version
def test_every_metric_is_described() -> None:
    for namespace, query in QUERIES.items():
        assert namespace.startswith("pgbraid_")
        for metric in query["metrics"]:
            for name, about in metric.items():
                assert re.fullmatch("[a-z0-9_]+", name) and about["description"]
                assert (about["usage"] == "COUNTER") == name.endswith("_total")


def expressions() -> Iterator[tuple[str, str]]:
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"]
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], variable["query"]


@pytest.mark.any_version
def test_the_dashboard_shows_metrics_that_there_are() -> None:
    there = {
        f"{namespace}_{column}": {label for label, used in columns(namespace).items() if used == "LABEL"}
        for namespace in QUERIES
        for column, usage in columns(namespace).items()
        if usage != "LABEL"
    }
    used = set()
    for title, expression in expressions():
        names = set(re.findall(r"\bpgbraid_\w+", expression))
        assert names and names <= there.keys(), (title, expression)
        used |= names
        labels = set.union(*(there[name] for name in names))
        bare = re.sub(r'"[^"]*"|\[[^\]]*\]|\$\w+', "", expression)
        assert set(re.findall(r"\b[a-z_]\w+", bare)) - names - WORDS <= labels, (title, expression)
    shown = {namespace for namespace in QUERIES if any(name.startswith(namespace) for name in used)}
    assert shown == set(QUERIES)


@pytest.mark.any_version
def test_the_largest_tenants_do_not_stand_for_all() -> None:
    limited = {namespace for namespace, query in QUERIES.items() if "limit " in query["query"]}
    assert limited
    for title, expression in expressions():
        if not expression.startswith("label_values"):
            for name in re.findall(r"\bpgbraid_\w+", expression):
                of = max((one for one in QUERIES if name.startswith(f"{one}_")), key=len)
                assert of not in limited or "$tenant" in expression, title


@pytest.mark.any_version
def test_panels_stand_beside_each_other() -> None:
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids) > 5
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not cells & taken, panel["title"]
        taken |= cells
        assert panel["title"] and panel["description"]
        for target in panel.get("targets", ()):
            named = re.findall(r"{{(\w+)}}", target.get("legendFormat", ""))
            assert all(name in json.dumps(QUERIES) for name in named)
