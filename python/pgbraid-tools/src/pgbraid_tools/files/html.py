"""Convert HTML to blocks: its text in order, with headings, lists, tables and code; without scripts, menus and
footers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pgbraid_tools.files.charsets import codec_of, decode_bytes
from pgbraid_tools.files.chunks import Block, drafts_of_blocks
from pgbraid_tools.files.dates import date_in_name, iso_date
from pgbraid_tools.files.drafts import MOST_WHOLE_BYTES, Draft, Input
from pgbraid_tools.files.library import library
from pgbraid_tools.files.text import decode

__all__ = ["blocks_of_html", "html_drafts", "html_facts", "html_source"]

# rt, rp and rtc repeat the pronunciation in the middle of words.
_LEFT_OUT_TAGS = (
    "script style noscript template nav footer aside form button select iframe object svg canvas head rt rp rtc"
)
_LEFT_OUT = frozenset(_LEFT_OUT_TAGS.split())
_BLOCK_TAGS = (
    "address article blockquote body center dd details dialog div dl dt fieldset figcaption figure h1 h2 h3 h4 h5 h6"
    " header hgroup hr html legend li main menu ol p pre section summary table tbody tfoot thead tr ul"
)
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_CHARSET = re.compile(rb"<(?:meta[^>]+charset|\?xml[^>]+encoding)=[\"']?([\w-]+)", re.IGNORECASE)
_HIDDEN_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\b", re.IGNORECASE)
_LEAST_OF_PARAGRAPHS = 0.25
_SPACE = re.compile(r"\s+")


def html_drafts(file: Input) -> Iterator[Draft]:
    parser = library("selectolax.lexbor", "HTML").LexborHTMLParser
    tree = parser(html_source(file))
    values = _facts(file, tree)
    # The rest, such as menus, repeats on every page of a site.
    content = next(filter(_has_text, (_only(tree, "main"), _only_article(tree))), tree.body)
    yield from drafts_of_blocks(file, _with_position(blocks_of_node(content), file.size), values)


def html_facts(file: Input, source: str) -> dict[str, Any]:
    """Return the title and date of a page."""
    return _facts(file, library("selectolax.lexbor", "HTML").LexborHTMLParser(source))


def _facts(file: Input, tree: Any) -> dict[str, Any]:
    values: dict[str, Any] = {"title": _title(tree) or file.title}
    if day := _date(tree) or date_in_name(file.path.name):
        values["occurred_at"] = day
    return values


def blocks_of_html(text: str, headings: tuple[str, ...] = ()) -> Iterator[Block]:
    tree = library("selectolax.lexbor", "HTML").LexborHTMLParser(text)
    yield from blocks_of_node(tree.body, headings)


def _with_position(blocks: Iterator[Block], position: int) -> Iterator[Block]:
    for block in blocks:
        yield Block(block.text, block.headings, block.is_heading, block.metadata, position)


def html_source(file: Input) -> str:
    """Return the source of a page as text, decoded as UTF-8 or Windows-1252 if the encoding that it declares is
    wrong."""
    hint = "divide the page into several"
    if file.size > MOST_WHOLE_BYTES:
        raise file.too_large(MOST_WHOLE_BYTES, hint)
    if file.encoding is None:
        with file.open() as source:
            data = source.read()
        named = _CHARSET.search(data, 0, 4096)
        if named and not data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
            name = named[1].decode("ascii")
            # If the declaration is readable as ASCII, the file cannot be UTF-16 or UTF-32.
            if not (codec_of(name) or "").startswith(("utf-16", "utf-32")):
                text = decode_bytes(data, None if _is_utf8(data) else name)
                return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return decode(file, MOST_WHOLE_BYTES, hint)


def _is_utf8(data: bytes) -> bool:
    """Return whether the bytes are UTF-8 with characters beyond ASCII. ISO-2022-JP writes other scripts in ASCII
    bytes."""
    try:
        data.decode("utf-8")
    except ValueError:
        return False
    return not data.isascii()


def _title(tree: Any) -> str | None:
    for selector in ("head > title", "h1"):
        node = tree.css_first(selector)
        if node is not None and (text := _SPACE.sub(" ", node.text()).strip()):
            return str(text)
    return None


def _date(tree: Any) -> str | None:
    for selector in ('meta[property="article:published_time"]', 'meta[name="date"]'):
        node = tree.css_first(selector)
        if node is not None and (day := iso_date(node.attributes.get("content"))):
            return day
    return None


def _has_text(node: Any) -> bool:
    return node is not None and next(blocks_of_node(node), None) is not None


def _only_article(tree: Any) -> Any:
    """Return the page's only article. Return None if there are several, or if most paragraphs are elsewhere, as with
    a teaser."""
    article = _only(tree, "article")
    if article is None:
        return None
    within, all_ = (sum(len(node.text(deep=False)) for node in root.css("p")) for root in (article, tree.body))
    return article if within >= _LEAST_OF_PARAGRAPHS * all_ else None


def _only(tree: Any, tag: str) -> Any:
    found = tree.css(tag)
    return found[0] if len(found) == 1 else None


class _Walk:
    """Collect blocks while walking the tree; inline text is held until a block begins or ends."""

    def __init__(self, headings: tuple[str, ...]) -> None:
        self.outer = headings
        self.stack: list[tuple[int, str]] = []
        self.inline: list[str] = []
        self.rows: list[str] = []
        self.cells: list[str] | None = None
        self.items: list[str] = []
        self.prefix = ""

    def headings(self) -> tuple[str, ...]:
        return (*self.outer, *(name for _, name in self.stack))

    def flush(self) -> Iterator[Block]:
        text = re.sub(r"[ \t]*\n[ \t]*", "\n", re.sub(r"[^\S\n]+", " ", "".join(self.inline))).strip()
        self.inline = []
        if not text:
            return
        if self.cells is not None:
            self.cells.append(text.replace("\n", " "))
            return
        prefix, self.prefix = self.prefix, ""
        if prefix:
            self.items.append(f"{prefix}{text}\n")
        else:
            yield from self.end_list()
            yield Block(f"{text}\n\n", self.headings())

    def end_list(self) -> Iterator[Block]:
        if self.items:
            yield Block("".join(self.items) + "\n", self.headings())
            self.items = []

    def heading(self, level: int) -> Iterator[Block]:
        text = _SPACE.sub(" ", "".join(self.inline)).strip()
        self.inline = []
        yield from self.end_list()
        if not text:
            return
        while self.stack and self.stack[-1][0] >= level:
            self.stack.pop()
        yield Block(f"{'#' * level} {text}\n\n", self.headings(), is_heading=True)
        self.stack.append((level, text))


def blocks_of_node(root: Any, headings: tuple[str, ...] = ()) -> Iterator[Block]:
    if root is None:
        return
    walk = _Walk(headings)
    # Nodes to enter, and nodes to leave (True). A stack, because a page may nest deeper than Python recurses.
    waiting: list[tuple[Any, bool]] = [(root, False)]
    lists: list[str] = []
    while waiting:
        node, leaving = waiting.pop()
        tag = node.tag
        if leaving:
            yield from _leave(walk, tag, lists)
            continue
        if tag == "-text":
            walk.inline.append(_SPACE.sub(" ", node.text_content or ""))
        elif tag == "br":
            walk.inline.append("\n")
        elif tag == "img":
            if _is_hidden(node):
                continue
            walk.inline.append(f" {(node.attributes or {}).get('alt') or ''} ")
        elif tag == "pre" and not _is_hidden(node):
            yield from walk.flush()
            yield from walk.end_list()
            if text := node.text().strip("\n"):
                if walk.cells is None:
                    yield Block(f"```\n{text}\n```\n\n", walk.headings())
                else:
                    walk.inline.append(text)
        elif (
            (tag not in _LEFT_OUT or _has_content(node))
            and not tag.startswith(("-", "_", "!"))
            and not _is_hidden(node)
        ):
            if tag in _BLOCKS:
                yield from walk.flush()
            if re.fullmatch("h[1-6]", tag):
                yield from walk.end_list()
            elif tag in ("ul", "ol"):
                lists.append(tag)
            elif tag == "li":
                walk.prefix = "  " * max(len(lists) - 1, 0) + "- "
            elif tag == "tr" and walk.cells is None:
                walk.cells = []
            elif tag in ("td", "th"):
                walk.inline = []
            waiting.append((node, True))
            children = []
            child = node.child
            while child is not None:
                children.append((child, False))
                child = child.next
            waiting += reversed(children)
    yield from walk.flush()
    yield from walk.end_list()


def _has_content(node: Any) -> bool:
    """Return whether the element is a form around the whole page, as ASP.NET writes, or the button of a heading that
    folds its section."""
    if node.tag == "form":
        return node.css_first("p, h1, h2, h3, table") is not None
    return node.tag == "button" and re.fullmatch("h[1-6]|summary|dt", node.parent.tag or "") is not None


def _is_hidden(node: Any) -> bool:
    """Return whether readers of the page cannot see an element. hidden="until-found" does not count: the browser's
    search finds it."""
    attributes = node.attributes
    if not attributes:
        return bool(node.tag == "dialog")
    return (
        ("hidden" in attributes and (attributes["hidden"] or "").strip().lower() != "until-found")
        or (attributes.get("aria-hidden") or "").strip().lower() == "true"
        or (node.tag == "dialog" and "open" not in attributes)
        or "popover" in attributes
        or _HIDDEN_STYLE.search(attributes.get("style") or "") is not None
    )


def _leave(walk: _Walk, tag: str, lists: list[str]) -> Iterator[Block]:
    if re.fullmatch("h[1-6]", tag) and walk.cells is None:
        yield from walk.heading(int(tag[1]))
    elif tag in ("td", "th"):
        before = len(walk.cells or ())
        yield from walk.flush()
        if walk.cells is not None and len(walk.cells) == before:
            walk.cells.append("")
    elif tag == "tr" and walk.cells is not None:
        if any(walk.cells):
            walk.rows.append(f"| {' | '.join(walk.cells)} |\n")
        walk.cells = None
    elif tag == "table":
        yield from walk.end_list()
        if walk.rows:
            yield Block("".join(walk.rows) + "\n", walk.headings())
            walk.rows = []
    elif tag in ("ul", "ol"):
        yield from walk.flush()
        if lists:
            lists.pop()
        if not lists:
            yield from walk.end_list()
    elif tag in _BLOCKS:
        yield from walk.flush()
