"""Test what agents read first: AGENTS.md, llms.txt and the skill, whose examples test_examples.py runs."""

from __future__ import annotations

import re

import pytest

from docs.markdown import PAGES, ROOT, Page, code, page

SKILL = page("docs/skill/SKILL.md")
AGENTS = Page(ROOT / "AGENTS.md")
LLMS = Page(ROOT / "llms.txt")


@pytest.mark.parametrize("read", [AGENTS, LLMS], ids=str)
def test_links_lead_somewhere(read: Page) -> None:
    assert read.links
    assert [link for link in read.links if not (ROOT / link.partition("#")[0]).is_file()] == []


def test_every_page_of_the_guide_is_listed() -> None:
    guide = {found.name for found in PAGES if found.name.startswith("docs/guide/")}
    assert guide - set(LLMS.links) == set()


def test_the_form_of_a_skill() -> None:
    _, head, body = SKILL.text.split("---\n", 2)
    fields = dict(re.findall(r"^(\w+): (.+)$", head, re.MULTILINE))
    assert fields["name"] == "pgbraid" and 0 < len(fields["description"]) <= 1014
    assert SKILL.text.count("\n") <= 101
    sections = re.findall(r"^## (.+)$", body, re.MULTILINE)
    assert sections == ["Install", "Load", "Search", "Explain", "Tune"]


def test_the_commands_exist() -> None:
    made = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {text.split()[1] for text in code(AGENTS.prose) if text.startswith("make ")}
    assert named and named <= made
