"""Test that the sample for other versions of PostgreSQL names tests that are there."""

from __future__ import annotations

import re

import pytest

from support.parts import TESTS
from support.sample import SAMPLE, WHOLE, is_in_sample, is_in_share

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


def test_each_file_is_in_the_share_of_some_seed() -> None:
    files = [f"core/search/test_{number}.py" for number in range(100)]
    taken = [[file for file in files if is_in_share(file, str(seed), 4)] for seed in range(40)]
    assert {file for share in taken for file in share} == {*files}
    assert 800 < sum(map(len, taken)) < 1200
    assert all(is_in_share(file, "1", 1) for file in files)


@pytest.mark.parametrize("file", [f"{folder}test_x.py" for folder in WHOLE] + ["install/test_moving.py"])
def test_what_is_about_versions_is_in_every_share(file: str) -> None:
    assert all(is_in_share(file, str(seed), 4) for seed in range(100))
