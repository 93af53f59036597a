"""Test that versions of PostgreSQL other than the default try each value of a test's parameters, not all
combinations."""

from __future__ import annotations

from itertools import product

import pytest

from support.examples import trying_each_value

pytestmark = pytest.mark.any_version


def test_every_value_is_tried_with_as_few_cases_as_do() -> None:
    cases = [{("function", f), ("role", r)} for f, r in product(range(20), range(6))]
    chosen = [cases[place] for place in trying_each_value(cases)]
    assert len(chosen) == 20
    assert set().union(*chosen) == set().union(*cases)
    # The functions are spread evenly over the roles.
    assert {sum(("role", r) in case for case in chosen) for r in range(6)} == {3, 4}


def test_cases_of_one_parameter_are_all_tried() -> None:
    assert trying_each_value([{n} for n in range(5)]) == set(range(5))
