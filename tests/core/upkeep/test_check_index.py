"""braid.check_index names every difference between the index and the chunks, and nothing else."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import psycopg
import pytest

from support import OtherSession
from support.calls import set_tenant, upsert

pytestmark = pytest.mark.tenant_of_its_own
Connection = psycopg.Connection[Any]

LIVING = (
    "(select c.id from braid_store.chunks c join braid_store.documents d on d.id = c.document_id"
    " where d.external_id = 'd7')"
)
DELETED = "(select min(chunk_id) from braid_store.tombstones)"
DELETION = "(select max(id) from braid_store.segments where is_deletion)"
LARGE = "(select id from braid_store.segments order by chunk_count desc limit 1)"


class Problem(NamedTuple):
    problem: str
    chunk_id: int | None
    lexeme: str | None
    detail: str | None


def check(db: Connection, collection: str = "default") -> list[Problem]:
    rows = db.execute(
        "select problem, chunk_id, lexeme, detail from braid.check_index(%s)",
        (collection,),
    )
    return [Problem(*row) for row in rows]


def value(db: Connection, expression: str) -> Any:
    row = db.execute(f"select {expression}").fetchone()
    assert row is not None
    return row[0]


@pytest.fixture
def indexed(db: Connection) -> Connection:
    """Index a large segment in which every chunk has "river", small segments, and deletions."""
    upsert(
        db,
        [
            {
                "external_id": f"d{n}",
                "title": f"Report {n % 5}",
                "content": "river " * (n % 9 + 1),
            }
            for n in range(200)
        ],
    )
    for number in range(4):
        upsert(db, [{"external_id": f"s{number}", "content": f"amber single{number}"}])
    for external_id in ("d3", "d4", "d5"):
        db.execute("select braid.delete_document(%s)", (external_id,))
    assert value(db, "count(*) filter (where is_deletion) from braid_store.segments") == 3
    assert value(db, "count(*) from braid_store.postings where blocks is not null") > 0
    return db


def test_an_index_as_written_merged_and_cleared_is_right(indexed: Connection) -> None:
    assert check(indexed) == []
    indexed.execute(
        "select braid.create_collection('other',"
        ' ranking => \'{"title_weight": 0}\', settings => \'{"index_fields": ["content"]}\')'
    )
    chunks = [
        {"content": "the river", "speaker": "Ana"},
        {"content": "foo_bar 東京都 ORA-00942"},
        {"content": "?"},
    ]
    upsert(indexed, [{"external_id": "d1", "title": "Untold", "chunks": chunks}], "other")
    for number in range(12):
        upsert(
            indexed,
            [{"external_id": f"m{number % 7}", "content": f"amber river {number}"}],
            "other",
        )
    assert check(indexed, "other") == []
    indexed.execute("select braid.maintain()")
    assert check(indexed) == check(indexed, "other") == []
    indexed.execute("select braid.clear_collection()")
    assert check(indexed) == []
    assert value(indexed, "count(*) from braid_store.forward_rows") > 0


DAMAGES = {
    "chunk without forward row": (
        f"delete from braid_store.forward_rows where chunk_id = {LIVING}",
        LIVING,
    ),
    "chunk in no segment": (
        f"delete from braid_store.segment_chunks where chunk_id = {LIVING}",
        LIVING,
    ),
    "chunk in several segments": (
        "insert into braid_store.segment_chunks select tenant_id, collection_id, segment_id, 9999, chunk_id"
        f" from braid_store.segment_chunks where chunk_id = {LIVING}",
        LIVING,
    ),
    "chunk in a segment that is not there": (
        f"update braid_store.segment_chunks set segment_id = 12345678 where chunk_id = {LIVING}",
        LIVING,
    ),
    "deleted chunk without tombstone": (
        f"delete from braid_store.tombstones where chunk_id = {DELETED}",
        DELETED,
    ),
    "tombstone of a chunk that lives": (
        f"insert into braid_store.tombstones select tenant_id, collection_id, id, {DELETION} from braid_store.chunks"
        f" where id = {LIVING}",
        LIVING,
    ),
    "tombstone without deletion": (
        f"update braid_store.tombstones set segment_id = 12345678 where chunk_id = {DELETED}",
        DELETED,
    ),
    "tombstone without forward row": (
        f"delete from braid_store.forward_rows where chunk_id = {DELETED}",
        DELETED,
    ),
    "tombstone of a chunk in no segment": (
        f"delete from braid_store.segment_chunks where chunk_id = {DELETED}",
        DELETED,
    ),
    "forward row without chunk": (
        "insert into braid_store.forward_rows select tenant_id, collection_id, 12345678, body_length, title_length,"
        f" is_first_chunk, terms, title_terms, lexemes, position_ends, positions from braid_store.forward_rows"
        f" where chunk_id = {LIVING}",
        "12345678::bigint",
    ),
}


@pytest.mark.parametrize("problem", DAMAGES)
def test_rows_per_chunk_that_do_not_belong_together(indexed: Connection, problem: str) -> None:
    damage, chunk = DAMAGES[problem]
    chunk_id = value(indexed, chunk)
    indexed.execute(damage)
    found = check(indexed)
    assert Problem(problem, chunk_id, None, None) in found
    # The totals and lists of the chunk's segment, or of its deletion, may differ too; no other chunk's rows do.
    assert {row.chunk_id for row in found} <= {chunk_id, None}


@pytest.mark.parametrize(
    ("change", "columns"),
    [
        ("body_length = body_length + 1", "body_length"),
        ("title_length = 0", "title_length"),
        ("is_first_chunk = false", "is_first_chunk"),
        ("terms = null", "terms"),
        ("terms[2] = terms[2] + 1", "terms"),
        ("title_terms = terms", "title_terms"),
        ("lexemes = replace(lexemes, 'river', 'rivet')", "lexemes"),
        ("position_ends[1] = 0", "position_ends"),
        ("positions[1] = 99", "positions"),
        ("title_frequencies = null", "title_frequencies"),
    ],
)
def test_a_forward_row_that_is_not_its_chunks(indexed: Connection, change: str, columns: str) -> None:
    chunk_id = value(indexed, LIVING)
    indexed.execute(f"update braid_store.forward_rows set {change} where chunk_id = {LIVING}")
    assert [row for row in check(indexed) if row.chunk_id] == [
        ("forward row differs from its chunk", chunk_id, None, columns)
    ]


def test_a_chunk_or_title_that_was_changed_behind_the_index(
    indexed: Connection,
) -> None:
    chunk_id = value(indexed, LIVING)
    indexed.execute("update braid_store.documents set title = 'Account 2' where external_id = 'd7'")
    assert check(indexed) == [("forward row differs from its chunk", chunk_id, None, "lexemes, terms, title_terms")]


@pytest.mark.parametrize("column", ["chunk_count", "posting_count", "body_length", "title_length"])
@pytest.mark.parametrize("segment", [LARGE, DELETION])
def test_totals_of_segments_and_deletions(indexed: Connection, column: str, segment: str) -> None:
    segment_id = value(indexed, segment)
    was = value(indexed, f"{column} from braid_store.segments where id = {segment_id}")
    indexed.execute(f"update braid_store.segments set {column} = {column} + 1 where id = {segment_id}")
    detail = f"segment {segment_id}: {column} is {was + 1}, its chunks give {was}"
    assert check(indexed) == [("segment total differs", None, None, detail)]


def test_chunks_that_do_not_follow_on_the_first(indexed: Connection) -> None:
    segment_id = value(indexed, "(select max(id) from braid_store.segments where first_chunk_id is not null)")
    detail = f"segment {segment_id}: chunks of segment_chunks do not follow on first_chunk_id"
    indexed.execute(f"update braid_store.segments set first_chunk_id = first_chunk_id + 1 where id = {segment_id}")
    assert check(indexed) == [("segment list differs", None, None, detail)]


@pytest.mark.parametrize(
    ("lexeme", "change"),
    [
        ("river", "document_frequency = document_frequency + 1"),
        ("river", "posting_count = 199"),
        ("river", "block_weight = block_weight * 1.01"),
        ("river", "block_weight = null"),
        ("river", "blocks[1] = '{2:0.5}/8192'"),
        ("river", "blocks = null"),
        ("river", "elements = '{2049}'"),
        ("3", "elements[5] = elements[5] + 1"),
        ("3", "elements = null"),
    ],
)
def test_a_posting_list_that_differs(indexed: Connection, lexeme: str, change: str) -> None:
    segment_id = value(indexed, LARGE)
    changed = indexed.execute(
        f"update braid_store.postings_a set {change} where lexeme = %s and segment_id = %s", (lexeme, segment_id)
    )
    assert changed.rowcount == 1
    column = change.split(" ")[0].split("[")[0]
    assert check(indexed) == [("posting list differs", None, lexeme, f"segment {segment_id}: {column}")]


def test_posting_lists_of_a_deletion(indexed: Connection) -> None:
    segment_id = value(indexed, "(select min(id) from braid_store.segments where is_deletion)")
    where = f"where lexeme = 'river' and segment_id = {segment_id}"
    indexed.execute(f"update braid_store.postings_a set document_frequency = 1 {where}")
    detail = f"segment {segment_id}"
    assert check(indexed) == [("posting list differs", None, "river", f"{detail}: document_frequency")]
    indexed.execute(f"delete from braid_store.postings_a {where}")
    assert check(indexed) == [("posting list missing", None, "river", detail)]


def test_posting_lists_missing_superfluous_and_orphaned(indexed: Connection) -> None:
    segment_id = value(indexed, LARGE)
    indexed.execute(
        "insert into braid_store.postings_a select tenant_id, collection_id, 'planted', segment_id, 0, 0"
        f" from braid_store.postings where lexeme = 'river' and segment_id = {segment_id}"
    )
    indexed.execute(
        "insert into braid_store.postings_a select tenant_id, collection_id, 'orphan', 12345678, 0, 0"
        f" from braid_store.postings where lexeme = 'river' and segment_id = {segment_id}"
    )
    indexed.execute(f"delete from braid_store.postings_a where lexeme = 'river' and segment_id = {segment_id}")
    assert Counter(check(indexed)) == Counter(
        [
            Problem("posting list missing", None, "river", f"segment {segment_id}"),
            Problem("posting list superfluous", None, "planted", f"segment {segment_id}"),
            Problem("posting list without segment", None, "orphan", "segment 12345678"),
        ]
    )


def test_parameters_that_the_impacts_were_not_computed_with(
    indexed: Connection,
) -> None:
    indexed.execute(f"update braid_store.segments set k1 = 0.1 where id = {LARGE}")
    assert {(row.problem, row.lexeme) for row in check(indexed)} >= {("posting list differs", "river")}


def test_writes_meanwhile_are_no_problem(indexed: Connection, other_session: OtherSession) -> None:
    with other_session(autocommit=True) as other:
        indexed.execute("begin isolation level repeatable read")
        assert check(indexed) == []
        for number in range(10):
            upsert(other, [{"external_id": f"d{number}", "content": f"amber {number}"}])
        other.execute("select braid.maintain()")
        assert check(indexed) == []
        indexed.execute("commit")
        other.execute("begin")
        other.execute("select braid.delete_document('d9')")
        assert check(indexed) == check(other) == []
        other.execute("rollback")
    assert check(indexed) == []


def test_another_tenants_or_collections_damage_is_not_shown(
    indexed: Connection,
) -> None:
    indexed.execute("select braid.create_tenant('other')")
    indexed.execute("select braid.create_collection('second')")
    upsert(indexed, [{"external_id": "d7", "content": "river amber"}], "second")
    indexed.execute("delete from braid_store.postings_a where lexeme = 'river'")
    assert [row.problem for row in check(indexed, "second")] == ["posting list missing"]
    set_tenant(indexed, "other")
    upsert(indexed, [{"external_id": "d7", "content": "river amber"}])
    assert check(indexed) == check(indexed, "second") == []


def test_a_collection_that_does_not_exist(db: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedObject) as raised:
        check(db, "absent")
    assert raised.value.diag.message_hint
