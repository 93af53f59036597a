"""Read queries and judgments of BEIR folders and of TREC's files."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pgbraid_tools.errors import IngestError

__all__ = ["JudgedQueries", "read_beir", "read_trec"]


@dataclass(frozen=True)
class JudgedQueries:
    """Hold `texts` by query and `grades` by query and document, only for queries that have both."""

    texts: dict[str, str]
    grades: dict[str, dict[str, int]]
    # unjudged counts queries without judgments, unknown counts queries with judgments but without a text.
    unjudged: int
    unknown: int


def read_beir(folder: Path, split: str) -> JudgedQueries:
    """Read a folder with queries.jsonl and qrels/SPLIT.tsv, plain or as .gz."""
    return _joined(_texts(_either(folder / "queries.jsonl")), _grades(_either(folder / "qrels" / f"{split}.tsv")))


def read_trec(qrels: Path, topics: Path) -> JudgedQueries:
    """Read TREC's files. qrels has a line for each judgment. topics has TREC's <top>, lines of an id and a text, or
    JSON lines."""
    return _joined(_texts(topics), _grades(qrels))


def _joined(texts: dict[str, str], grades: dict[str, dict[str, int]]) -> JudgedQueries:
    both = [query for query in texts if query in grades]
    return JudgedQueries(
        {query: texts[query] for query in both},
        {query: grades[query] for query in both},
        unjudged=len(texts) - len(both),
        unknown=len(grades) - len(both),
    )


def _either(path: Path) -> Path:
    packed = path.with_name(f"{path.name}.gz")
    if not path.exists() and packed.exists():
        return packed
    if not path.exists():
        raise IngestError("is not there", file=str(path), hint="give the folder of a BEIR data set, and --split")
    return path


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        hint = "fetch the file again: it is damaged or incomplete"
        raise IngestError(f"cannot be unpacked: {error}", file=str(path), hint=hint) from error


def _grades(path: Path) -> dict[str, dict[str, int]]:
    """Read lines of query, document and grade: with a header as BEIR has them, or with a second column as TREC has
    them."""
    grades: dict[str, dict[str, int]] = {}
    for number, line in _lines(path):
        columns = line.split("\t") if line.count("\t") in (2, 3) else line.split()
        if number == 1 and columns[-1].strip().lower() == "score":
            continue
        if len(columns) == 4:
            del columns[1]
        if len(columns) != 3 or not re.fullmatch(r"[+-]?\d{1,4}", columns[2].strip()):
            raise IngestError(
                "is no judgment",
                file=str(path),
                line=number,
                hint="a line has query, document and grade, or query, 0, document and grade",
            )
        query, document, grade = columns[0].strip(), columns[1].strip(), int(columns[2])
        if grades.setdefault(query, {}).setdefault(document, grade) != grade:
            raise IngestError(
                f'gives document "{document}" a second grade for query "{query}"',
                file=str(path),
                line=number,
                hint="keep one grade; put the grades of two judges into two files, and load each with --judge",
            )
    return grades


def _texts(path: Path) -> dict[str, str]:
    lines = list(_lines(path))
    first = lines[0][1].lstrip() if lines else ""
    if first.startswith("{"):
        pairs = [(number, *_json_query(path, number, line)) for number, line in lines]
    elif first.startswith("<"):
        pairs = list(_topics(lines))
    else:
        pairs = [(number, *_split_query(path, number, line)) for number, line in lines]
    texts: dict[str, str] = {}
    for number, query, text in pairs:
        if not query or not text:
            hint = "give the query an id and a text, or remove it"
            raise IngestError("has a query without id or text", file=str(path), line=number, hint=hint)
        if query in texts:
            hint = "keep one of the two queries, or give the other one an id of its own"
            raise IngestError(f'has query "{query}" again', file=str(path), line=number, hint=hint)
        texts[query] = text
    return texts


def _json_query(path: Path, number: int, line: str) -> tuple[str, str]:
    try:
        query = json.loads(line)
        name, text = query["_id" if "_id" in query else "id"], query["text"]
        if isinstance(name, bool) or not isinstance(name, (str, int)) or not isinstance(text, str):
            raise TypeError("the id or the text is no string")
        return str(name), text
    except (ValueError, TypeError, KeyError) as error:
        raise IngestError(
            "is no query", file=str(path), line=number, hint='a line is an object: {"_id": "1", "text": "…"}'
        ) from error


def _split_query(path: Path, number: int, line: str) -> tuple[str, str]:
    query, tab, text = line.partition("\t")
    if not tab:
        raise IngestError(
            "is no query",
            file=str(path),
            line=number,
            hint="a topics file has lines of an id, a tab and a text, JSON objects, or TREC's <top>",
        )
    return query.strip(), text.strip()


def _topics(lines: list[tuple[int, str]]) -> Iterator[tuple[int, str, str]]:
    """Yield TREC's topics: a number and a title, with or without closing tags."""
    number, query, part, words = 0, "", "", list[str]()
    for place, line in [*lines, (lines[-1][0], "</top>")]:
        for tag, text in re.findall(r"(<[^<>]*>)?([^<]*)", line):
            name = tag.strip("<>").strip().lower()
            if name in ("num", "title"):
                part, number = name, place
            elif name:
                part = ""
                if name in ("top", "/top") and query:
                    yield number, query, " ".join(words)
                    query, words = "", []
            if part == "num" and text.strip():
                query = re.sub(r"^number:", "", text.strip(), flags=re.IGNORECASE).strip()
            elif part == "title" and text.strip():
                words += re.sub(r"^(topic:)", "", text.strip(), flags=re.IGNORECASE).split()
