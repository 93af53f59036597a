"""Test how a part joins: at its end, an installation makes the core's extension points call the part."""

from __future__ import annotations

import json
from collections.abc import Mapping

import psycopg
import pytest

from pgbraid.errors import InstallationError
from pgbraid.install import install
from support.calls import one
from support.package import Package

HEAD = """language plpgsql
stable
parallel safe
security invoker
set search_path = pg_catalog, pg_temp
as $$"""


def point(name: str, arguments: str, returns: str, body: str) -> str:
    result = f"\nreturns {returns}" if returns else ""
    return (
        f"create or replace function braid_store.{name}({arguments}){result}\n{HEAD}\nbegin\n  {body}\nend\n$$;\n\n"
        f"comment on function braid_store.{name} is 'Extend it.';\n"
    )


def part(
    name: str, needs: list[str], manifest: Mapping[str, object] | None = None, **functions: str
) -> dict[str, str | None]:
    manifest = {"sentence": "Adds.", "needs": needs, "since": "0.1.0", "is_stable": True, **(manifest or {})}
    files = {f"sql/parts/{name}/{function}.sql": text for function, text in functions.items()}
    return {f"sql/parts/{name}/part.json": json.dumps(manifest), **files}


POINTS = "sql/core/95_upkeep/7_status"
# Each of the four kinds of points returns another type.
CORE = {
    f"{POINTS}/extend_rows.sql": point("extend_rows", "a int", "setof int", "return;"),
    f"{POINTS}/extend_json.sql": point("extend_json", "a int", "jsonb", "return '{}'::jsonb;"),
    f"{POINTS}/extend_value.sql": point("extend_value", "a int", "text", "return coalesce(null);"),
    f"{POINTS}/extend_sum.sql": point("extend_sum", "inout total int, a int", "", "null;"),
}


def added(name: str, needs: list[str], number: int) -> dict[str, str | None]:
    return part(
        name,
        needs,
        None,
        **{
            f"extend_rows_{name}": point(f"extend_rows_{name}", "a int", "setof int", f"return next a * {number};"),
            f"extend_json_{name}": point(
                f"extend_json_{name}", "a int", "jsonb", f"return jsonb_build_object('{name}', a, 'last', '{name}');"
            ),
            f"extend_value_{name}": point(
                f"extend_value_{name}", "a int", "text", f"return case when a = {number} then '{name}' end;"
            ),
            f"extend_sum_{name}": point(
                f"extend_sum_{name}", "inout total int, a int", "", f"total := total * {number} + a;"
            ),
        },
    )


def answers(dsn: str) -> list[object]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        return [
            one(connection, "select array(select braid_store.extend_rows(5))"),
            one(connection, "select braid_store.extend_json(5)"),
            [one(connection, "select braid_store.extend_value(%s)", n) for n in (2, 3, 4)],
            one(connection, "select braid_store.extend_sum(1, 5)"),
        ]


def test_points_call_the_parts_that_are_there(dsn: str, package: Package) -> None:
    package.change(CORE)
    install(dsn)
    assert answers(dsn) == [[], {}, [None, None, None], 1]
    # Points call parts in the order of their needs, not of their names. An upgrade adds no new part by itself.
    package.change({**CORE, **added("zz", [], 2), **added("aa", ["zz"], 3)})
    assert "aa" not in install(dsn).parts
    assert install(dsn, with_parts=["aa"]).added_parts == ("zz", "aa")
    assert answers(dsn) == [[10, 15], {"zz": 5, "aa": 5, "last": "aa"}, ["zz", "aa", None], (1 * 2 + 5) * 3 + 5]
    assert not install(dsn).functions_applied


def test_a_part_that_returns_no_object_leaves_those_of_others(dsn: str, package: Package) -> None:
    nothing = point("extend_json_bb", "a int", "jsonb", "return null;")
    package.change({**CORE, **added("aa", [], 3), **part("bb", ["aa"], extend_json_bb=nothing)})
    install(dsn, with_parts=["bb"])
    assert answers(dsn)[1] == {"aa": 5, "last": "aa"}


def test_a_point_may_end_with_the_name_of_a_part(dsn: str, package: Package) -> None:
    """An extension point whose name ends with a part's name still calls all parts; a mistake would raise no error."""
    package.change({**CORE, **added("rows", [], 3), **added("aa", [], 2)})
    install(dsn, with_parts=["aa", "rows"])
    assert answers(dsn) == [[10, 15], {"aa": 5, "rows": 5, "last": "rows"}, ["aa", "rows", None], (1 * 2 + 5) * 3 + 5]


def test_a_body_that_somebody_has_replaced_is_written_again(dsn: str, package: Package) -> None:
    package.change({**CORE, **added("aa", [], 3)})
    install(dsn, with_parts=["aa"])
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(CORE[f"{POINTS}/extend_rows.sql"].encode())
    assert answers(dsn)[0] == []
    assert install(dsn).functions_applied
    assert answers(dsn)[0] == [15]


def test_an_extension_has_the_form_of_its_point(dsn: str, package: Package) -> None:
    wrong = point("extend_rows_aa", "a int, b int", "setof int", "return;")
    package.change({**CORE, **part("aa", [], extend_rows_aa=wrong)})
    with pytest.raises(InstallationError, match="extend_rows_aa") as caught:
        install(dsn, with_parts=["aa"])
    assert caught.value.hint


def test_parts_that_need_each_other_are_refused(dsn: str, package: Package) -> None:
    package.change({**part("aa", ["bb"]), **part("bb", ["aa"])})
    with pytest.raises(InstallationError, match="aa, bb need each other") as caught:
        install(dsn)
    assert caught.value.hint


TABLE = """-- Rows of a part.
-- depends: 0001.baseline

create table braid_store.extra_rows (tenant_id int, collection_id int, primary key (tenant_id, collection_id));
comment on table braid_store.extra_rows is 'Rows of a part.';
"""


def test_maintenance_does_what_a_manifest_says(dsn: str, package: Package) -> None:
    """Maintenance runs a manifest's tasks in their places, and dropping a collection deletes the part's rows."""
    task = point(
        "extend_task_aa",
        "task text, deadline timestamptz",
        "jsonb",
        "return case when task ^@ 'aa_' then jsonb_build_object('warnings', array[task]) else '{}' end;",
    )
    package.change(
        {
            "migrations/parts/aa/aa.0001.extra_rows.sql": TABLE,
            **part(
                "aa",
                [],
                {"maintenance": {"aa_last": 100, "aa_first": 5}, "tables": {"extra_rows": {"emptied": "drop"}}},
                extend_task_aa=task,
            ),
        }
    )
    install(dsn, with_parts=["aa"])
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("select braid.create_collection('gone', dimensions => 2)")
        connection.execute(
            "insert into braid_store.extra_rows select t.id, c.id from braid_store.tenants t, braid_store.collections c"
            " where c.name = 'gone'"
        )
        assert one(connection, "select braid.maintain() -> 'warnings'") == ["aa_first", "aa_last"]
        assert one(connection, "select count(*) from braid_store.extra_rows") == 1
        connection.execute("select braid.drop_collection('gone')")
        assert one(connection, "select braid.maintain() -> 'warnings'") == ["aa_first", "aa_last"]
        assert one(connection, "select count(*) from braid_store.extra_rows") == 0


def test_a_part_declares_options_in_its_folder(dsn: str, package: Package) -> None:
    """The core knows the options before the part is installed."""
    package.change({**part("aa", []), "sql/parts/aa/options.json": json.dumps({"shine": {"types": ["number"]}})})
    install(dsn)
    with (
        psycopg.connect(dsn, autocommit=True) as connection,
        pytest.raises(psycopg.errors.InvalidParameterValue, match="shine") as raised,
    ):
        connection.execute("select braid.hybrid_search('a', options => '{\"shine\": 1}')")
    assert "pgbraid init --with aa" in (raised.value.diag.message_hint or "")


@pytest.mark.any_version
def test_a_manifest_alone_says_what_a_setting_is_by_default(dsn: str, package: Package) -> None:
    manifest = json.loads(package.text("sql/parts/search_log/part.json"))
    manifest["settings"]["search_log_share"]["default"] = 0.5
    manifest["settings"]["search_log_query"]["default"] = "hash"
    package.change({"sql/parts/search_log/part.json": json.dumps(manifest)})
    install(dsn)
    with psycopg.connect(dsn, autocommit=True) as connection:
        shown = "select p ->> 'search_log', p ->> 'search_log_share', p ->> 'search_log_query'"
        shown += " from (select parts as p from braid.collections) c"
        assert connection.execute(shown.encode()).fetchone() == ("off", "0.5", "hash")
        connection.execute("select braid.set_search_log('default', 'sampled')")
        assert connection.execute(shown.encode()).fetchone() == ("sampled", "0.5", "hash")
        connection.execute("select braid.set_search_log('default', 'all'), braid.logged_search('fox')")
        row = connection.execute(
            "select sample_share, query_text, query_hash is null from braid_store.search_log"
        ).fetchone()
        assert row == (1, None, False)
        connection.execute("select braid.set_search_log('default', 'off')")
        assert connection.execute("select parts from braid_store.collections").fetchone() == (None,)
