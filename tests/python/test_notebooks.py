"""Test the HTML that notebooks show."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import matplotlib
import pytest
from matplotlib import pyplot

import pgbraid
from pgbraid import _tools
from pgbraid.errors import NotSupportedError
from pgbraid.explanation import Explanation
from pgbraid.results import SearchResult, SearchResults

pytestmark = [pytest.mark.any_version, pytest.mark.tenant_of_its_own]
matplotlib.use("agg")

HOSTILE = '<script>alert("x")</script><img src=x onerror=alert(1)>'


def html(results: SearchResults) -> str:
    shown = results._repr_html_()
    assert shown is not None
    return shown


class Page(HTMLParser):
    """Collect the tags and the text that a browser would show."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.widths: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") for name, _ in attributes)
        style = dict(attributes).get("style") or ""
        self.widths += [part for part in style.split(";") if part.startswith("width:")]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_search_shows_itself(client: pgbraid.Client) -> None:
    client.add_documents(
        [
            {"external_id": "a", "title": "Prices", "content": "The price of a seat.", "speaker": "Ana"},
            {"external_id": "b", "content": "An export that fails."},
        ]
    )
    client.embed_pending()
    results = client.search("price of exports", options={"snippet": True})
    page = Page(html(results))
    assert page.tags.count("tr") == 2 and "mark" in page.tags
    for word in ("price of exports", "Prices", "Ana", "The price of a seat.", "full text #1", "semantic #"):
        assert word in page.text
    assert 2 <= len(page.widths) <= 4


def test_texts_and_queries_are_escaped() -> None:
    row: dict[str, Any] = {"chunk_id": 1, "document_id": 2, "chunk_index": 0, "score": 0.5, "full_text_score": 1.0}
    row |= {"external_id": HOSTILE, "content": HOSTILE * 20, "title": HOSTILE, "speaker": HOSTILE}
    results = SearchResults(
        [SearchResult.from_row(row)], query=HOSTILE, warnings=[{"code": "x", "message": HOSTILE}, {"code": HOSTILE}]
    )
    page = Page(html(results))
    assert not {"script", "img"} & set(page.tags)
    # MathJax skips the results, although they may contain dollar signs.
    assert 'class="pgbraid tex2jax_ignore mathjax_ignore"' in html(results)
    assert page.text.count("alert") > 6
    assert Page(html(SearchResults([]))).text == "0 results for "


def test_stored_texts_are_escaped_in_snippets(client: pgbraid.Client) -> None:
    client.add_documents([{"external_id": "a", "content": f"price {HOSTILE} price"}])
    results = client.search("price", mode="full_text", options={"snippet": True})
    page = Page(html(results))
    assert "mark" in page.tags and not {"script", "img"} & set(page.tags)


def test_bars_are_as_long_as_scores(client: pgbraid.Client) -> None:
    client.add_documents([{"external_id": name, "content": f"The price of {name}."} for name in ("a", "b", "c")])
    client.embed_pending()
    results = client.search("price of a")
    axes = results.plot_scores()
    lengths = [bar.get_width() for bars in axes.containers for bar in bars]
    expected = [row.full_text_normalised_score or 0 for row in results]
    expected += [row.semantic_normalised_score or 0 for row in results]
    assert lengths == expected
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f"{place}. {row.external_id}" for place, row in enumerate(results, 1)
    ]
    assert SearchResults([]).plot_scores(axes) is axes
    pyplot.close("all")


def test_without_the_tools_results_are_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tools, "entry_points", lambda **_: [])
    results = SearchResults([])
    assert results._repr_html_() is None and str(results) == "no results"
    explanation = Explanation({}, {}, None, [], None, {}, {}, [])
    assert str(explanation) == repr(explanation)
    with pytest.raises(NotSupportedError, match="an explanation as text takes the package pgbraid-tools"):
        explanation.format()
    for method in (results.to_pandas, results.to_arrow, results.plot_scores):
        with pytest.raises(NotSupportedError, match="takes the package pgbraid-tools") as caught:
            method()
        assert caught.value.hint == "pip install 'pgbraid[tools]'"
