"""Store texts and queries in files that every engine's process reads. Words hold only letters, or are identifiers."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.full_text.corpus import Synthetic
from benchmarks.semantic.corpus import Corpus, Vectors

LENGTHS = (2, 4, 8)
# The number of words of a query where one length stands for all.
MIDDLE = 4
LETTERS, IDENTIFIERS, SMALL = "letters", "identifiers", "small"
# Each attribute is 0 in one of this number of documents.
SHARES = {"third": 3, "percent": 100, "rare": 2000}
TUNING = 100


class Query(NamedTuple):
    text: str
    vector: Vectors


class Stored:
    """Read a corpus from a folder. Documents are numbered from 0."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        about = json.loads((folder / "about.json").read_text())
        self.name: str = about["name"]
        self.size: int = about["size"]

    def texts(self) -> Iterator[str]:
        with (self.folder / "texts.txt").open(encoding="utf-8") as file:
            for line in file:
                yield line.rstrip("\n")

    @property
    def vectors(self) -> Vectors:
        """Return the documents' vectors, read from the file as needed."""
        vectors: Vectors = np.load(self.folder / "vectors.npy", mmap_mode="r")
        return vectors

    @property
    def has_vectors(self) -> bool:
        return (self.folder / "vectors.npy").exists()

    @cached_property
    def queries(self) -> dict[int, list[Query]]:
        """Return the queries by number of words. Their texts are unrelated to their vectors."""
        texts = json.loads((self.folder / "queries.json").read_text())
        vectors = np.load(self.folder / "query_vectors.npy")
        return {length: [Query(*pair) for pair in zip(texts[str(length)], vectors, strict=True)] for length in LENGTHS}

    @cached_property
    def tuning(self) -> tuple[Vectors, list[list[int]]]:
        """Return vectors that are not among the queries, and the ten documents nearest to each."""
        return np.load(self.folder / "tuning.npy"), json.loads((self.folder / "tuning.json").read_text())


def attributes(number: int) -> dict[str, int]:
    """Return a document's attributes, each under two names, so that an index can cover the second."""
    drawn = int.from_bytes(hashlib.md5(str(number).encode()).digest()[:8], "big")
    plain = {key: drawn % divisor for key, divisor in SHARES.items()}
    return plain | {f"{key}_declared": value for key, value in plain.items()}


def store(folder: Path, name: str, size: int, query_count: int) -> Stored:
    """Write a corpus unless the folder holds it already; return it."""
    about = {"name": name, "size": size, "queries": query_count}
    if (folder / "about.json").exists():
        if json.loads((folder / "about.json").read_text()) == about:
            return Stored(folder)
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    words = Synthetic(size)
    rename = identifier if name == IDENTIFIERS else str
    known: dict[str, str] = {}

    def renamed(text: str) -> str:
        return " ".join([known.get(word) or known.setdefault(word, rename(word)) for word in text.split()])

    with (folder / "texts.txt").open("w", encoding="utf-8") as file:
        for document in words.documents(0, size):
            file.write(renamed(document["chunks"][0]["content"]) + "\n")
    queries = {length: [renamed(query.text) for query in words.queries(length, query_count)] for length in LENGTHS}
    (folder / "queries.json").write_text(json.dumps(queries))
    vectors = Corpus(size)
    drawn = vectors.queries(query_count + TUNING)
    np.save(folder / "query_vectors.npy", drawn[:query_count])
    if name != IDENTIFIERS:
        np.save(folder / "vectors.npy", vectors.vectors)
        np.save(folder / "tuning.npy", drawn[query_count:])
        nearest = [np.argsort(-(vectors.vectors @ vector))[:10].tolist() for vector in drawn[query_count:]]
        (folder / "tuning.json").write_text(json.dumps(nearest))
    (folder / "about.json").write_text(json.dumps(about))
    return Stored(folder)


def identifier(word: str) -> str:
    """Return an identifier in place of a word, for two words in three. A word always gives the same result."""
    digest = hashlib.md5(word.encode()).hexdigest()
    kind, number = int(digest[0], 16), int(digest[1:5], 16)
    shapes = (
        f"get_{word}_{digest[5]}", f"{word}_id", f"{number % 20}.{number % 13}.{number % 9}", f"0x{digest[:6]}",
        digest[:12], f"src/{word}/main.py", f"/var/lib/{word}", f"{word}.to{word.capitalize()}", f"{word}-{number}",
        f"max{word.capitalize()}Size",
    )  # fmt: skip
    return shapes[kind] if kind < len(shapes) else word


def alphanumeric(text: str) -> list[str]:
    """Split as most engines do: at each character that is neither a letter nor a digit."""
    return re.findall(r"[^\W_]+", text.lower())


def document(number: int, text: str) -> dict[str, Any]:
    return {"id": number, "text": text, **attributes(number)}
