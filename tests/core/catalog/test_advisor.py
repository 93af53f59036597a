"""Supabase's advisor finds nothing, even if the API's logins have braid_writer, the widest role that applications
get. Each rule also reports an object that breaks it."""

from __future__ import annotations

from typing import Any

import pytest

from support.advisor import LINTS, offenders

API_ROLE = "braid_writer"


@pytest.mark.parametrize("lint", LINTS)
def test_the_advisor_has_nothing_to_say(catalog: Any, lint: str) -> None:
    assert offenders(catalog, LINTS[lint][0], API_ROLE) == []


@pytest.mark.parametrize("lint", LINTS)
def test_the_rule_reports_what_breaks_it(catalog: Any, lint: str) -> None:
    query, breaks = LINTS[lint]
    with catalog.transaction(force_rollback=True):
        catalog.execute(breaks.replace(":role", API_ROLE))
        assert len(offenders(catalog, query, API_ROLE)) == 1


def test_extension_and_reference_objects_stay_out_of_the_api_schema(catalog: Any) -> None:
    rows = catalog.execute(
        "select extname from pg_extension where extnamespace::regnamespace::text in ('braid', 'braid_store')"
    )
    assert rows.fetchall() == []
