"""Provide documents and queries: any number of texts of Zipf-distributed pseudo-words, and Supreme Court hearings."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

Document = dict[str, Any]
BLOCK = 1000


class Query(NamedTuple):
    words: list[str]

    @property
    def text(self) -> str:
        return " ".join(self.words)


class Corpus(Protocol):
    """Provide documents of one chunk each, by number from 0."""

    name: str
    size: int
    text_config: str
    # The phrase has two very common words.
    common_phrase: str
    # The words that determine a category, as (share of the documents, word).
    marked: list[tuple[float, str]]

    def documents(self, first: int, last: int) -> Iterator[Document]: ...

    def external_id(self, number: int) -> str: ...

    def queries(self, length: int, count: int) -> list[Query]: ...


SPEAKERS = [("half", 0.5), ("twentieth", 0.05), ("two hundredth", 0.005), ("two thousandth", 0.0005)]
BEGIN = datetime(2015, 1, 1, tzinfo=timezone.utc)
SYLLABLES = [consonant + vowel for consonant in "bcdfghjklmnpqrstvwxz" for vowel in "aeiou"]


class Synthetic:
    """Make texts of about 150 words, 92 of them different.

    Rank 20 is in 42 % of the documents, rank 20,000 in 0.05 %.
    """

    text_config = "simple"
    _vocabulary_size = 30_000
    _words_per_document = 150

    def __init__(self, size: int) -> None:
        self.name = f"{size:,} synthetic"
        self.size = size
        ranks = np.arange(1, self._vocabulary_size + 1)
        shares = 0.0729 / ranks
        # As in real text, the most common words exceed Zipf's law.
        shares[:10] *= (1 - shares[10:].sum()) / shares[:10].sum()
        self._cumulated = np.cumsum(shares)
        self._words = [_pseudo_word(rank) for rank in range(self._vocabulary_size)]
        self.common_phrase = f"{self._words[1]} {self._words[2]}"
        self._markers = [(share, rank) for share, rank in ((0.5, 16), (0.05, 213), (0.005, 2180), (0.0005, 21_860))]
        self.marked = [(share, self._words[rank - 1]) for share, rank in self._markers]

    def documents(self, first: int, last: int) -> Iterator[Document]:
        for number in range(first, last):
            yield self._block(number // BLOCK)[number % BLOCK]

    def external_id(self, number: int) -> str:
        return f"d{number}"

    @lru_cache(maxsize=2)  # noqa: B019
    def _block(self, block: int) -> list[Document]:
        rng = np.random.default_rng([1, block])
        lengths = np.clip(rng.normal(self._words_per_document, 30, BLOCK), 20, 400).astype(int)
        drawn = np.searchsorted(self._cumulated, rng.random(lengths.sum()))
        texts = np.split(np.minimum(drawn, self._vocabulary_size - 1), np.cumsum(lengths)[:-1])
        speakers = rng.random(BLOCK)
        documents = []
        for offset, ranks in enumerate(texts):
            number = block * BLOCK + offset
            documents.append(
                {
                    "external_id": self.external_id(number),
                    "chunks": [{"content": " ".join([self._words[rank] for rank in ranks])}],
                    "speaker": _speaker(speakers[offset]),
                    "category": self._category(set(ranks.tolist())),
                    # Times are independent of the order of insertion.
                    "occurred_at": (BEGIN + timedelta(minutes=(number * 7919) % 5_000_011)).isoformat(),
                }
            )
        return documents

    def _category(self, ranks: set[int]) -> str | None:
        for _, rank in reversed(self._markers):
            if rank - 1 in ranks:
                return self._words[rank - 1]
        return None

    def queries(self, length: int, count: int) -> list[Query]:
        """Return queries of words with log-uniform ranks from 20 to 20,000."""
        rng = random.Random(f"{length} synthetic")
        queries: list[Query] = []
        while len(queries) < count:
            words = {self._words[int(20 * 1000 ** rng.random()) - 1] for _ in range(length)}
            if len(words) == length:
                queries.append(Query(sorted(words)))
        return queries


def _speaker(drawn: float) -> str:
    for name, share in SPEAKERS:
        if drawn < share:
            return name
        drawn -= share
    return "other"


def _pseudo_word(rank: int) -> str:
    """Return a word that is shorter for a more common rank, in no alphabetical order."""
    syllables = len(SYLLABLES)
    length, first = 1, 0
    while rank >= first + syllables**length:
        first += syllables**length
        length += 1
    number = (rank - first) * 37 % syllables**length  # 37 and 100 have no common divisor
    word = ""
    for _ in range(length):
        number, syllable = divmod(number, syllables)
        word += SYLLABLES[syllable]
    return word


class Hearings:
    """Read hearings; each turn is a chunk."""

    text_config = "english"
    common_phrase = "your honor"

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as file:
            self._turns = [_turn(json.loads(line)) for number, line in enumerate(file) if not limit or number < limit]
        self.size = len(self._turns)
        self.marked: list[tuple[float, str]] = []
        self.name = f"{self.size:,} turns of hearings"

    def documents(self, first: int, last: int) -> Iterator[Document]:
        yield from self._turns[first:last]

    def external_id(self, number: int) -> str:
        return str(self._turns[number]["external_id"])

    def queries(self, length: int, count: int) -> list[Query]:
        """Return queries with words of one turn, without the 100 most common words."""
        rng = random.Random(f"{length} hearings")
        queries: list[Query] = []
        while len(queries) < count:
            words = _plain_words(rng.choice(self._turns)) - self._commonest
            if len(words) >= length:
                queries.append(Query(sorted(rng.sample(sorted(words), length))))
        return queries

    @property
    @lru_cache(maxsize=1)  # noqa: B019
    def _commonest(self) -> set[str]:
        counts = Counter(word for turn in self._turns[:: max(1, self.size // 20_000)] for word in _plain_words(turn))
        return {word for word, _ in counts.most_common(100)}


def _turn(line: dict[str, Any]) -> Document:
    return {
        "external_id": line["_id"],
        "chunks": [{"content": line["text"]}],
        "speaker": line["metadata"]["speaker"],
        "occurred_at": line["metadata"]["date"],
    }


def _plain_words(turn: Document) -> set[str]:
    return set(re.findall(r"(?<![\w'’.-])[a-z]{3,}(?![\w'’-])", turn["chunks"][0]["content"].lower()))
