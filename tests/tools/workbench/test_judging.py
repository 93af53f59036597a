"""Test two configurations side by side, grades, evaluations, and versions of a ranking."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import pytest
from tools.workbench.conftest import Workbench, check, pages_of, searched, serving
from tools.workbench.documents import EVIL, SCRIPT

import pgbraid
from support import HashEmbedder

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Dialog, Page, Route

pytestmark = pytest.mark.any_version

GRADES = [(0, "call-1", 3), (0, "call-2", 2), (1, "meeting-1", 3), (2, "ticket-1", 3)]
WRITES: dict[str, dict[str, Any]] = {
    "create_query_set": {"query_set": "new"},
    "judge": {"query_set": "asked", "query": "price", "external_id": "call-1", "grade": 3},
    "set_ranking": {"ranking": {"fusion": "rrf"}, "reason": "a test"},
    "restore_ranking": {"version": 1},
}


@pytest.fixture(scope="module")
def writing(filled: str) -> Iterator[Workbench]:
    with pgbraid.connect(filled, embedder=HashEmbedder()) as client:
        embedder = HashEmbedder()
        queries = ["price", "discount for small teams", "export error"]
        client.create_query_set("asked")
        client.store_queries(
            "asked",
            [
                {"query_id": str(number), "text": text, "embedding": embedder.embed_query(text).tolist()}
                for number, text in enumerate(queries)
            ],
        )
        client.store_judgments(
            "asked",
            [
                {"query_id": str(number), "external_id": found, "grade": grade, "judge": "ana"}
                for number, found, grade in [
                    (0, "call-1", 3),
                    (0, "call-2", 2),
                    (1, "meeting-1", 3),
                    (2, "ticket-1", 3),
                ]
            ],
        )
        client.create_query_set("chunks", "chunk")
    with serving(filled, write=True) as running:
        yield running


@pytest.fixture
def page(context: BrowserContext, writing: Workbench, complaints: list[str]) -> Iterator[Page]:
    yield from pages_of(context, writing, complaints)


@pytest.fixture
def stored(filled: str) -> Iterator[pgbraid.Client]:
    with pgbraid.connect(filled, embedder=HashEmbedder()) as client:
        yield client


def graded(client: pgbraid.Client, query_set: str) -> list[tuple[Any, ...]]:
    statement = """
        select q.query_text, j.external_id, j.chunk_index, j.judge, j.grade
        from braid.list_queries(%s) q, braid.list_judgments(%s, q.query_id) j order by j.updated_at
    """
    client.connection.execute("select set_config('braid.tenant', %s, false)", [client.tenant])
    return client.connection.execute(statement, [query_set, query_set]).fetchall()


@pytest.mark.parametrize("name", WRITES)
def test_changes_need_write_and_the_token(workbench: Workbench, writing: Workbench, name: str) -> None:
    status, answer = workbench.call(name, WRITES[name])
    assert status == 403 and "--write" in answer["error"]["hint"]
    for headers in ({"Authorization": None}, {"Authorization": f"Bearer {workbench.token}"}):
        assert writing.call(name, WRITES[name], **headers)[0] == 401
    for origin in ("https://evil.example.com", workbench.url, "null"):
        assert writing.call(name, WRITES[name], Origin=origin)[0] == 403
    assert writing.call(name, WRITES[name], Sec_Fetch_Site="cross-site")[0] == 403
    assert writing.call(name, WRITES[name], Host="evil.example.com")[0] == 421
    assert writing.call(name, WRITES[name], Content_Type="text/plain")[0] == 415
    assert writing.request("GET", f"/api/{name}")[0] == 405


def test_nothing_of_that_was_done(writing: Workbench, stored: pgbraid.Client) -> None:
    assert {found["query_set"] for found in stored.list_query_sets()} == {"asked", "chunks"}
    assert stored.list_rankings() == []
    assert [row[3] for row in graded(stored, "asked")] == ["ana"] * 4


@pytest.mark.parametrize(
    ("name", "changed", "said"),
    [
        ("judge", {"grade": 4}, "grade is 4"),
        ("judge", {"grade": "3"}, "grade is '3'"),
        ("judge", {"query_set": "none"}, "none"),
        ("judge", {"query": " "}, "query is empty"),
        ("judge", {"external_id": None}, "external_id is missing"),
        ("judge", {"query_set": "chunks"}, "chunk_index is missing"),
        ("create_query_set", {"query_set": None}, "query_set is missing"),
        ("set_ranking", {"ranking": {}}, "ranking is empty"),
        ("set_ranking", {"ranking": 5}, "ranking is 5"),
        ("set_ranking", {"reason": ""}, "reason"),
        ("restore_ranking", {"version": 77}, "77"),
    ],
)
def test_what_is_wrong_is_told(writing: Workbench, name: str, changed: dict[str, Any], said: str) -> None:
    status, answer = writing.call(name, {**WRITES[name], **changed})
    assert status in (400, 404), answer
    assert said in answer["error"]["message"]


def test_evaluations_are_those_of_the_client(workbench: Workbench, writing: Workbench, stored: pgbraid.Client) -> None:
    other = {"fusion": "rrf", "full_text_weight": 0.1}
    answer = workbench.given("evaluate", {"query_set": "asked", "configurations": [{}, other]})
    expected = [stored.evaluate("asked", configuration) for configuration in ({}, other)]
    assert [found["metrics"] for found in answer["evaluations"]] == [found["metrics"] for found in expected]
    assert answer["evaluations"][0]["queries"][0]["rows"]
    # The answer omits the most changed queries, because a version of a ranking would keep their texts.
    compared = stored.compare_evaluations(*expected, changed_count=0)
    assert "discount" not in str(answer["comparisons"])
    assert answer["comparisons"][0]["metrics"] == compared["metrics"]
    wrong: Any
    for wrong in ([], [1], [{}] * 5, [{"quary": 1}], {}):
        assert workbench.call("evaluate", {"query_set": "asked", "configurations": wrong})[0] == 400
    assert workbench.call("evaluate", {"query_set": "none", "configurations": [{}]})[0] == 404


def test_grades_by_key(page: Page, stored: pgbraid.Client) -> None:
    page.get_by_role("link", name="Compare").click()
    page.wait_for_selector(".configuration")
    page.keyboard.type("discount")
    with searched(page, ".compact"):
        page.keyboard.press("Enter")
    left, right = page.locator("section[aria-label='Results of a']"), page.locator("section[aria-label='Results of b']")
    found = stored.search("discount")
    assert left.locator("h3").all_inner_texts() == [row.title for row in found]
    by_words = stored.search("discount", mode="full_text")
    assert right.locator("h3").all_inner_texts() == [row.title for row in by_words]
    assert left.locator(".change").last.inner_text() == "only in a"
    page.locator(".judging select").select_option("")
    page.get_by_label("Name of the new set").fill("made here")
    page.get_by_role("button", name="Create").click()
    page.locator(".judging .row >> nth=1").wait_for(state="hidden")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("3")
    page.locator("#said", has_text="Graded 3").wait_for(state="attached")
    page.keyboard.press("j")
    page.keyboard.press("0")
    page.locator("#said", has_text="Graded 0").wait_for(state="attached")
    first, second = found[0].external_id, found[1].external_id
    assert [row[:3] for row in graded(stored, "made here")] == [("discount", first, None), ("discount", second, None)]
    assert [row[3:] for row in graded(stored, "made here")] == [("default", 3), ("default", 0)]
    # The same key takes the grade back, and both lists show it.
    page.keyboard.press("0")
    page.locator("#said", has_text="taken back").wait_for(state="attached")
    assert graded(stored, "made here") == [("discount", first, None, "default", 3)]
    assert page.locator(f"[aria-label='Grade of {first}'] [aria-pressed=true]").count() == 2
    # The grades are there after a reload, and can be evaluated.
    with searched(page, ".compact"):
        page.reload()
    page.locator(".judging select").select_option("made here")
    page.locator(f"[aria-label='Grade of {first}'] [aria-pressed=true]").first.wait_for()
    assert stored.evaluate("made here")["metrics"]["ndcg@10"] == 1


def test_evaluate_deploy_and_go_back(page: Page, stored: pgbraid.Client) -> None:
    before = stored.search("price")[0].score
    page.get_by_role("link", name="Evaluate").click()
    page.wait_for_selector("#set")
    page.select_option("#set", "asked")
    b = page.get_by_role("region", name="b candidate")
    b.get_by_text("Ranking and options").click()
    b.get_by_label("Fusion").select_option("rrf")
    page.get_by_role("button", name="Evaluate", exact=True).click()
    page.wait_for_selector("#means")
    expected = stored.evaluate("asked", {"fusion": "rrf"})["metrics"]["ndcg@10"]
    assert f"{expected:.3f}" in page.locator("tr", has_text="ndcg@10").inner_text()
    page.get_by_role("button", name="discount for small teams").click()
    page.locator(".graded li").first.wait_for()
    assert "Weekly meeting" in page.locator(".graded li", has_text="3").first.inner_text()
    check(page)
    page.get_by_label("Reason").fill(f"measured {EVIL}")
    asked: list[str] = []

    def refuse(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    page.once("dialog", refuse)
    page.get_by_role("button", name="Deploy b").click()
    assert "for all tenants?" in asked[0] and stored.list_rankings() == []
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Deploy b").click()
    page.locator("#said", has_text="Deployed as version 2").wait_for(state="attached")
    assert f"measured {EVIL}" in page.get_by_role("region", name="Versions").inner_text()
    newest = stored.list_rankings()[0]
    assert newest["ranking"]["fusion"] == "rrf" and "metrics" in newest["evaluation"]
    assert stored.search("price")[0].score != before
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Go back to it").click()
    page.locator("#said", has_text="Now it is version 3").wait_for(state="attached")
    assert stored.search("price")[0].score == before


RANKED: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"fusion": "rrf", "options": {"ranking": {"fusion": "max", "k1": 0.9}}}, {"fusion": "rrf", "k1": 0.9}),
    (
        {"full_text_weight": 0.9, "options": {"ranking": {"full_text_weight": 0.1, "semantic_weight": 0.2}}},
        {"full_text_weight": 0.9, "semantic_weight": 0.2},
    ),
    (
        {"options": {"ranking": {"neighbour_weight": 0.4, "smoothing": 0.3, "normalisation": "zscore"}}},
        {"neighbour_weight": 0.4, "smoothing": 0.3, "normalisation": "zscore"},
    ),
    # Naming a fusion in a search resets the weights.
    ({"fusion": "rrf", "options": {"ranking": {"full_text_weight": 0.9}}}, {"fusion": "rrf"}),
]


@pytest.mark.parametrize(("configuration", "expected"), RANKED)
def test_what_is_deployed_ranks_as_what_was_measured(
    writing: Workbench, stored: pgbraid.Client, configuration: dict[str, Any], expected: dict[str, Any]
) -> None:
    before = stored.list_rankings()
    (evaluated,) = writing.given("evaluate", {"query_set": "asked", "configurations": [configuration]})["evaluations"]
    assert evaluated["ranking"] == expected
    measured = writing.given("search", {"query": "price discount", **configuration})["results"]
    writing.given("set_ranking", {"ranking": evaluated["ranking"], "reason": "a test"})
    try:
        found = writing.given("search", {"query": "price discount"})["results"]
        assert [(row["chunk_id"], row["score"]) for row in found] == [
            (row["chunk_id"], row["score"]) for row in measured
        ]
        assert expected.items() <= stored.list_rankings()[0]["ranking"].items()
    finally:
        stored.restore_ranking("default", before[0]["version"] if before else 1, "after a test")


def test_keys_with_others_held_grade_nothing(page: Page, stored: pgbraid.Client) -> None:
    before = graded(stored, "asked")
    with searched(page, ".compact"):
        page.evaluate("location.hash = '#/compare?query=price'")
    page.locator(".judging select").select_option("asked")
    page.locator(".scale").first.wait_for()
    page.locator(".compact").first.focus()
    with page.expect_request("**/api/judge") as sent:
        for held in ("Alt", "Control", "Meta"):
            page.keyboard.press(f"{held}+1")
        # A key that counts ends the wait.
        page.keyboard.press("2")
    assert '"grade":2' in (sent.value.post_data or "")
    page.locator("#said", has_text="Graded 2").wait_for(state="attached")
    assert len(graded(stored, "asked")) == len(before) + 1
    page.keyboard.press("2")
    page.locator("#said", has_text="taken back").wait_for(state="attached")


def test_data_stays_text(page: Page, writing: Workbench, stored: pgbraid.Client) -> None:
    name = f"set {EVIL}"
    stored.create_query_set(name)
    judgment = {"query_set": name, "external_id": f"{EVIL}1", "grade": 2, "judge": SCRIPT}
    writing.given("judge", {**judgment, "query": f"zebra {SCRIPT}"})
    with searched(page, ".compact"):
        page.evaluate("query => { location.hash = '#/compare?' + new URLSearchParams({query}) }", f"zebra {SCRIPT}")
    assert f"Title {SCRIPT}" in page.locator(".compact h3").all_inner_texts()
    page.locator(".judging select").select_option(name)
    page.get_by_label("Judge", exact=True).fill(SCRIPT)
    page.keyboard.press("Tab")
    page.locator(".scale [aria-pressed=true]").first.wait_for()
    check(page)
    page.get_by_role("link", name="Evaluate").click()
    page.select_option("#set", name)
    page.get_by_role("button", name="Evaluate", exact=True).click()
    page.wait_for_selector("#means")
    page.get_by_role("button", name=re.compile("zebra")).click()
    page.locator(".graded li").first.wait_for()
    assert page.locator("main img, main script, main iframe").count() == 0
    stored.drop_query_set(name)


def test_the_first_query_set(
    context: BrowserContext, new_database: Callable[[], AbstractContextManager[str]], complaints: list[str]
) -> None:
    """The page asks only for a name, and explains query sets before anybody judges."""
    with new_database() as dsn:
        with pgbraid.connect(dsn, embedder=HashEmbedder()) as client:
            client.add_documents([{"external_id": "call-1", "content": "The price per seat."}])
            client.embed_pending()
        with serving(dsn, write=True) as running:
            for page in pages_of(context, running, complaints):
                with searched(page, ".compact"):
                    page.evaluate("location.hash = '#/compare?query=price'")
                panel = page.locator(".judging")
                assert panel.locator("select").is_hidden()
                assert panel.get_by_label("Judge").is_hidden()
                # A notice appears below the result that it is about.
                first = page.locator(".results > li").first
                first.locator("article").focus()
                page.keyboard.press("2")
                first.get_by_text("Choose a query set first").wait_for()
                panel.get_by_label("Name of the new set").fill("first")
                panel.get_by_role("button", name="Create").click()
                panel.get_by_text("0 of its queries are judged; tuning needs 20.").wait_for()
                assert panel.get_by_label("Judge").is_visible()
                assert page.get_by_text("Choose a query set first").count() == 0


def test_what_is_worse_is_not_offered(page: Page) -> None:
    """The measured difference appears beside the button that deploys."""

    def evaluated(low: float, high: float) -> None:
        interval = {
            "difference": (low + high) / 2,
            "interval": [low, high],
            "p_value": 0.01,
            "wins": 1,
            "losses": 1,
            "ties": 1,
        }

        def answer(route: Route) -> None:
            response = route.fetch()
            found = response.json()
            found["comparisons"][0]["metrics"]["ndcg@10"] = interval
            route.fulfill(response=response, json=found)

        page.route("**/api/evaluate", answer, times=1)
        with page.expect_response("**/api/evaluate"):
            page.evaluate(
                "b => { location.hash = '#/evaluate?' + new URLSearchParams({set: 'asked', b, run: Math.random()}) }",
                '{"fusion": "rrf"}',
            )

    section = page.locator("section[aria-labelledby=rankings]")
    evaluated(-0.3, -0.1)
    section.get_by_text("b is worse than a").wait_for()
    button = section.get_by_role("button", name="Deploy b all the same")
    assert "main" not in (button.get_attribute("class") or "")
    evaluated(-0.1, 0.1)
    section.get_by_text("It is not sure that b is better").wait_for()
    evaluated(0.1, 0.3)
    section.locator("button.main", has_text="Deploy b").wait_for()
    assert section.get_by_text("not sure").count() == 0
