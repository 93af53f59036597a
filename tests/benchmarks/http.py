"""Measure the cost of PostgREST, compared with the same call on a connection: `python -m benchmarks.http` in tests/."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from benchmarks.search import DATA, TIMED, fresh_database, table
from pgbraid import embedded
from support import npm, postgrest
from support.judged import load_judged
from support.loading import load
from support.vectors import cached_vectors

QUERIES = 200
ROLES = """
create role authenticator login noinherit; create role anon; create role authenticated;
grant anon, authenticated to authenticator;
select braid.add_trusted_role('authenticator', 'gateway'); grant braid_writer to authenticated
"""
FUNCTIONS = ("full_text_search", "semantic_search", "hybrid_search", "search_json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres-version", type=int, default=embedded.DEFAULT_VERSION)
    arguments = parser.parse_args()
    if not DATA.is_dir():
        parser.exit(1, f"the test collections are not there ({DATA})\n")
    judged = load_judged(DATA / TIMED)
    documents, queries = cached_vectors(judged.embedded_texts), cached_vectors(judged.queries)
    asked = list(zip(judged.queries, queries, strict=True))[:QUERIES]
    with fresh_database(arguments.postgres_version) as db:
        db.execute(ROLES.encode())
        load(db, judged, documents, "default")
        db.execute("select braid.maintain('30 seconds')")
        dsn = make_conninfo(host=db.info.host, port=db.info.port, dbname=db.info.dbname, user=db.info.user)
        with (
            postgrest.running(npm.postgrest(), dsn) as api,
            psycopg.connect(dsn, user="authenticator", autocommit=True) as user,
        ):
            claims = {"role": "authenticated", "app_metadata": {"tenant_id": "default"}}
            user.execute("select set_config('request.jwt.claims', %s, false)", (json.dumps(claims),))
            user.execute("set role authenticated")
            rows = [(name, measured(name, asked, api, user)) for name in FUNCTIONS]
    table(f"ms, top 10 of {len(judged.document_ids):,}", ["SQL p50", "p95", "HTTP p50", "p95", "added p50"], rows)


def measured(name: str, asked: list[Any], api: postgrest.Gateway, user: psycopg.Connection[Any]) -> list[str]:
    """Measure both ways in turns, so that the machine's other load is the same for both."""
    token = postgrest.token_for("default")
    times: tuple[list[float], list[float]] = ([], [])
    for text, vector in [*asked[:20], *asked]:
        body = {"query_text": text, "query_embedding": [round(float(number), 7) for number in vector]}
        if name == "full_text_search":
            del body["query_embedding"]
        elif name == "semantic_search":
            del body["query_text"]
        call = ", ".join(f"{key} => %({key})s" + ("::vector" if "embedding" in key else "") for key in body)
        given = {key: json.dumps(value) if isinstance(value, list) else value for key, value in body.items()}
        result = f"select to_json(r) from braid.{name}({call}) r".encode()
        started = time.perf_counter()
        user.execute(result, given).fetchall()
        between = time.perf_counter()
        answer = api.post(name, body, token)
        times[1].append(time.perf_counter() - between)
        times[0].append(between - started)
        assert answer.status == 200, answer
    sql, http = (sorted(one[20:]) for one in times)
    added = statistics.median(http) - statistics.median(sql)
    quantiles = [times[len(times) * share // 100] for times in (sql, http) for share in (50, 95)]
    return [f"{1000 * value:.1f}" for value in (*quantiles, added)]


if __name__ == "__main__":
    main()
