"""Tuning refuses settings of other parts that it cannot try."""

from __future__ import annotations

import psycopg
import pytest
from parts.evaluation.test_tuning import Connection, plan
from parts.evaluation.test_tuning import db as db

pytestmark = pytest.mark.any_version


def test_an_encoder_that_is_not_there_is_refused(db: Connection) -> None:
    with pytest.raises(psycopg.errors.UndefinedObject, match='sparse encoder "none" does not exist'):
        plan(db, {"sparse_encoder": ["none"]}, configuration={"collection": "notes"})


@pytest.mark.parametrize(
    ("key", "options"), [("ranking_model", {"ranking_model": False}), ("sparse_encoder", {"sparse": False})]
)
def test_an_option_that_counts_before_the_space_is_refused(db: Connection, key: str, options: dict[str, bool]) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match=f"search_space has {key}, and configuration has"):
        plan(db, {key: ["m"]}, configuration={"collection": "notes", "options": options})
