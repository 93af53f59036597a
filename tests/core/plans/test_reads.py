"""No API function reads more of a tenant of 30,000 documents than of one of 2,000, unless its answer needs it.

The test counts rows, index entries and pages of each table, and measures no time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from core.plans.calls import CALLS, Call
from core.plans.reading import KINDS, Connection, Reads, Tenant, reads, tenant

from pgbraid import embedded

pytestmark = pytest.mark.long
SMALL, MEDIUM, LARGE = 2_000, 10_000, 30_000
# Versions other than the default measure less: no large tenant, and only plans for the tables as they are.
# A plan may read this much more, because a small table is read whole rather than by an index. A written document reads
# its path through each index of a table.
CONSTANT, PER_DOCUMENT = 1_000, 12
# Before maintain(), the last vectors are not in the shard, so they are compared one by one.
BEFORE_MAINTAIN = {"a session that has lived through it", "before maintain and analyze"}
STATES = [*BEFORE_MAINTAIN, "custom plans", "generic plans"]
Measured = dict[tuple[str, int], Reads]


@dataclass
class Measurements:
    small: Measured
    medium: Measured
    size: int
    large: dict[str, Measured] = field(default_factory=dict)


@pytest.fixture(scope="module")
def measured(server: embedded.Server, pg_version: int, template: str) -> Iterator[Measurements]:
    """Yield what every call reads of the small tenant, and of a larger one: medium for calls whose work grows, large
    for the others."""
    is_default = pg_version == embedded.DEFAULT_VERSION
    with tenant(server.dsn_for("postgres"), template) as grown:
        with grown.connect("force_generic_plan") as old:
            measure(old, grown, is_growing=False)
            grown.grow(SMALL)
            grown.maintain()
            with grown.connect("force_custom_plan") as db:
                small = {**measure(db, grown, is_growing=False), **measure(db, grown, is_growing=True)}
            grown.grow(MEDIUM, 4)
            grown.maintain()
            with grown.connect("force_custom_plan") as db:
                found = Measurements(small, measure(db, grown, is_growing=True), LARGE if is_default else MEDIUM)
            if is_default:
                grown.grow(LARGE, 8)
                found.large["a session that has lived through it"] = measure(old, grown, is_growing=False)
                with grown.connect("force_custom_plan") as db:
                    found.large["before maintain and analyze"] = measure(db, grown, is_growing=False)
                grown.maintain()
            for mode in ("custom", "generic"):
                with grown.connect(f"force_{mode}_plan") as db:
                    found.large[f"{mode} plans"] = measure(db, grown, is_growing=False)
        yield found


def measure(db: Connection, grown: Tenant, *, is_growing: bool) -> Measured:
    return {
        (function, place): reads(db, call.statement, call.prepare, grown.values)
        for function, calls in CALLS.items()
        for place, call in enumerate(calls)
        if call.is_growing == is_growing
    }


@pytest.mark.parametrize("state", STATES)
def test_reads_do_not_grow(measured: Measurements, state: str) -> None:
    if state not in measured.large:
        pytest.skip("measured on the default version of PostgreSQL")
    grown = [
        line
        for (function, place), large in measured.large[state].items()
        for call in [CALLS[function][place]]
        for line in compare(
            call,
            measured.small[function, place],
            large,
            measured.size // SMALL,
            {"vectors", "chunk_vectors", "chunks"} if call.is_near and state in BEFORE_MAINTAIN else set(),
        )
    ]
    assert not grown, "\n".join(grown)


def test_long_work_is_linear(measured: Measurements) -> None:
    grown = [
        line
        for (function, place), medium in measured.medium.items()
        for line in compare(
            CALLS[function][place],
            measured.small[function, place],
            medium,
            MEDIUM // SMALL,
            # After enough writes that were rolled back, it moves all postings to the other table.
            {"postings"} if function == "maintain" else set(),
        )
    ]
    assert not grown, "\n".join(grown)


def compare(call: Call, small: Reads, large: Reads, factor: int, unmeasured: set[str]) -> Iterator[str]:
    """Yield a line for each table of which `large` exceeds its bound."""
    for table, counts in large.items():
        before = small.get(table, (0, 0, 0))
        if table in unmeasured:
            continue
        elif call.is_growing or table in call.grows:
            # Any plan that suits this number of rows is allowed.
            before, times = (max(before),) * 3, 2 * factor
        else:
            times = 2
        for kind, fewer, more in zip(KINDS, before, counts, strict=True):
            if more > times * fewer + CONSTANT + PER_DOCUMENT * call.batch:
                yield f"{call.statement}\n    {table}: {fewer:,} {kind} when small, now {more:,}"
