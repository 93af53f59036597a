"""Test that the sample for other versions of PostgreSQL names tests that are there."""

from __future__ import annotations

import re

import pytest

from support.parts import TESTS
from support.sample import SAMPLE, is_in_sample

pytestmark = pytest.mark.any_version


@pytest.mark.parametrize("file", SAMPLE)
def test_each_name_is_a_test_of_the_file(file: str) -> None:
    tests = re.findall(r"^ *(?:async )?def (test_\w+)", (TESTS / file).read_text(), re.MULTILINE)
    assert {name.partition("[")[0] for name in SAMPLE[file]} < {*tests}


def test_a_file_that_is_not_listed_runs_whole() -> None:
    assert is_in_sample("core/tokens/test_tokenize.py", "test_golden_table[1]")


def test_a_name_stands_for_all_cases_and_a_case_for_itself() -> None:
    assert is_in_sample("install/test_moving.py", "test_a_dump_has_the_parts_that_its_database_has[plain]")
    assert is_in_sample("parts/sync/test_lifecycle.py", "test_an_upgrade[False]")
    assert not is_in_sample("parts/sync/test_lifecycle.py", "test_an_upgrade[True]")
    assert not is_in_sample("parts/sync/test_lifecycle.py", "test_uninstalled")
