"""A chunk whose text is unchanged keeps its vector during a model change."""

from __future__ import annotations

import pytest
from core.documents.test_unchanged_chunks import DIMENSIONS, NEW, OLD, Connection, c, check, embed, put, work

from support.calls import one, upsert

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
__all__ = ["c"]


@pytest.mark.parametrize("is_cut_over", [False, True])
def test_while_the_model_changes(c: Connection, is_cut_over: bool) -> None:
    for name in ("d", "e"):
        put(c, ["a", "b"], name)
    work(c)
    c.execute("select braid.start_model_change('c', %s, %s, distance => 'l2')", (NEW, DIMENSIONS[NEW]))
    # The new model's embedding queue does not have it yet.
    put(c, ["a", "new"], "d")
    assert work(c) == ["new"]
    assert work(c, NEW) == ["a", "new"]
    assert one(c, "select (braid.maintain('10 s') -> 'complete')::boolean")
    assert work(c, NEW) == ["a", "b"]
    if is_cut_over:
        c.execute("select braid.cut_over_model_change('c')")
    put(c, ["new", "a", "newest"], "d")
    assert (work(c), work(c, NEW)) == (["newest"], ["newest"])
    check(c, NEW if is_cut_over else OLD)
    if not is_cut_over:
        c.execute("select braid.cut_over_model_change('c')")
        check(c, NEW)
    c.execute("select braid.roll_back_model_change('c')")
    check(c, OLD)


def test_a_vector_of_the_other_model_comes_along(c: Connection) -> None:
    put(c, ["a", "b"])
    work(c)
    c.execute("select braid.start_model_change('c', %s, %s, distance => 'l2')", (NEW, DIMENSIONS[NEW]))
    upsert(
        c,
        [{"external_id": "d", "chunks": [{"content": "a", "embedding": embed("a", NEW)}, {"content": "b"}]}],
        "c",
    )
    assert (work(c), work(c, NEW)) == ([], ["b"])
    check(c)
