"""Read DOCX: convert headings, lists and tables of Word to HTML, then to blocks."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from itertools import chain
from typing import Any, BinaryIO
from xml.etree import ElementTree

from pgbraid_tools.files.archives import check_archive
from pgbraid_tools.files.chunks import Block, drafts_of_blocks
from pgbraid_tools.files.dates import date_in_name
from pgbraid_tools.files.drafts import Draft, Input
from pgbraid_tools.files.html import blocks_of_html
from pgbraid_tools.files.library import library

__all__ = ["docx_drafts"]

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_OTHERWISE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_LEFT_OUT = re.compile(rb"<(?:m:oMath|w:fldSimple|w:ruby)\b|:AlternateContent\b")
_BESIDE = re.compile(r"word/(header|footer|comments)\d*\.xml")
# The library parses all XML into a tree, which takes some twenty times its size.
MOST_XML_BYTES = 20_000_000


def docx_drafts(file: Input) -> Iterator[Draft]:
    mammoth = library("mammoth", "DOCX")
    library("selectolax.lexbor", "DOCX")
    check_archive(file)
    title, author = _properties(file)
    values: dict[str, Any] = {"title": title or file.title}
    if author:
        values["metadata"] = {"author": author}
    if day := date_in_name(file.path.name):
        values["occurred_at"] = day
    try:
        with _readable(file) as source:
            html = mammoth.convert_to_html(
                source, convert_image=mammoth.images.img_element(lambda _: {"src": ""}), external_file_access=False
            ).value
    # Any exception of the library counts as a fault of this file, and must not stop the other files.
    except Exception as error:
        raise file.error(
            f"damaged, or no DOCX: {error}", hint="open the file in its program, and save it again"
        ) from error
    blocks = (replace(block, position=file.size) for block in chain(blocks_of_html(html), _beside(file)))
    yield from drafts_of_blocks(file, blocks, values)


def _readable(file: Input) -> BinaryIO:
    """Return the file, rewritten so that the library also reads the content which it would skip."""
    with zipfile.ZipFile(file.path) as archive:
        document = archive.read("word/document.xml")
        if not _LEFT_OUT.search(document):
            return file.path.open("rb")
        made = BytesIO()
        with zipfile.ZipFile(made, "w") as copy:
            for member in archive.infolist():
                is_text = member.filename == "word/document.xml"
                copy.writestr(member, _with_all_text(document) if is_text else archive.read(member))
    made.seek(0)
    return made


def _with_all_text(document: bytes) -> bytes:
    """Return a document whose equations are plain text, ruby its base characters, and fields and text boxes
    readable."""
    root = ElementTree.fromstring(document)
    for parent in list(root.iter()):
        for place, child in enumerate(list(parent)):
            if child.tag in (f"{_MATH}oMath", f"{_MATH}oMathPara"):
                run = ElementTree.Element(f"{_WORD}r")
                text = ElementTree.SubElement(run, f"{_WORD}t")
                text.text = f" {_equation(child)} "
                if child.tag == f"{_MATH}oMathPara" and parent.tag != f"{_WORD}p":
                    run, inner = ElementTree.Element(f"{_WORD}p"), run
                    run.append(inner)
                parent[place] = run
            elif child.tag == f"{_WORD}fldSimple":
                child.tag = f"{_WORD}smartTag"
            elif child.tag == f"{_WORD}ruby":
                # w:rt holds the pronunciation, which repeats the base text.
                plain = ElementTree.Element(f"{_WORD}t")
                bases = child.iter(f"{_WORD}rubyBase")
                plain.text = "".join(text.text or "" for base in bases for text in base.iter(f"{_WORD}t"))
                parent[place] = plain
            elif (
                child.tag == f"{_OTHERWISE}AlternateContent"
                and child.find(f"{_OTHERWISE}Fallback") is None
                and (boxes := list(child.iter(f"{_WORD}txbxContent")))
            ):
                parent[place] = ElementTree.Element(f"{_WORD}pict")
                parent[place].extend(boxes)
    return ElementTree.tostring(root)


def _equation(node: ElementTree.Element) -> str:
    """Return an equation as one line of text: (a+b)/c, x^2, x_i, sqrt(x)."""
    name = node.tag.rpartition("}")[2]
    if name == "t":
        return node.text or ""
    parts = {child.tag.rpartition("}")[2]: _equation(child) for child in node if not child.tag.endswith("Pr")}
    if name == "f":
        return f"{_grouped(parts.get('num', ''))}/{_grouped(parts.get('den', ''))}"
    if name == "rad":
        return f"{parts.get('deg', '')}sqrt({parts.get('e', '')})"
    if name in ("sSup", "sSub", "sSubSup", "nary", "limLow", "limUpp"):
        base = "" if name == "nary" else _grouped(parts.get("e", parts.get("lim", "")))
        below, above = parts.get("sub", ""), parts.get("sup", "")
        marks = f"{f'_{_grouped(below)}' if below else ''}{f'^{_grouped(above)}' if above else ''}"
        return f"{base}{marks} {parts.get('e', '')}" if name == "nary" else f"{base}{marks}"
    if name == "d":
        return f"({', '.join(_equation(child) for child in node if child.tag.endswith('}e'))})"
    return "".join(_equation(child) for child in node if not child.tag.endswith("Pr"))


def _grouped(text: str) -> str:
    return text if len(text) <= 1 or text.isalnum() else f"({text})"


def _beside(file: Input) -> Iterator[Block]:
    """Yield what the library leaves out: each header and footer once, and the comments with their authors."""
    seen: set[str] = set()
    with zipfile.ZipFile(file.path) as archive:
        for name in sorted(archive.namelist()):
            found = _BESIDE.fullmatch(name)
            if not found or archive.getinfo(name).file_size > MOST_XML_BYTES:
                continue
            try:
                root = ElementTree.fromstring(archive.read(name))
            except ElementTree.ParseError:
                continue
            is_comments = found[1] == "comments"
            for part in root.iter(f"{_WORD}comment") if is_comments else (root,):
                text = "\n".join(filter(None, (_paragraph(node) for node in part.iter(f"{_WORD}p"))))
                if not text or text in seen:
                    continue
                author = part.get(f"{_WORD}author") if is_comments else None
                seen.add(text)
                heading = "Comments" if is_comments else "Headers and footers"
                yield Block(f"{author}: {text}\n\n" if author else f"{text}\n\n", (heading,))


def _paragraph(node: ElementTree.Element) -> str:
    """Return the text of a paragraph without computed fields, such as the page number."""
    parts: list[str] = []
    depth = 0
    for inner in node.iter():
        if inner.tag == f"{_WORD}fldChar":
            kind = inner.get(f"{_WORD}fldCharType")
            depth += (kind == "begin") - (kind == "end")
        elif inner.tag == f"{_WORD}t" and depth == 0:
            parts.append(inner.text or "")
        elif inner.tag in (f"{_WORD}tab", f"{_WORD}br"):
            parts.append(" ")
    return " ".join("".join(parts).split())


def _properties(file: Input) -> tuple[str | None, str | None]:
    with zipfile.ZipFile(file.path) as archive:
        names = {member.filename: member.file_size for member in archive.infolist()}
        if "word/document.xml" not in names:
            raise file.error(
                "damaged, or no DOCX: it has no word/document.xml",
                hint="open the file in its program, and save it again",
            )
        if names["word/document.xml"] > MOST_XML_BYTES:
            raise file.error(f"its text has more than {MOST_XML_BYTES} bytes", hint="divide it into several")
        if "docProps/core.xml" not in names or names["docProps/core.xml"] > 1_000_000:
            return None, None
        data = archive.read("docProps/core.xml")
    try:
        core = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        return None, None
    found = [core.find(f"{{*}}{name}") for name in ("title", "creator")]
    title, author = ((node.text or "").strip() or None if node is not None else None for node in found)
    return title, author
