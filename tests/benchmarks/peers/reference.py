"""Compute exact results: BM25 over all texts, all distances, and their fusion by rank."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.corpora import IDENTIFIERS, SHARES, Query, Stored, alphanumeric, attributes
from benchmarks.peers.engine import FULL_TEXT, TOP, VECTOR, Where

Scores = NDArray[np.float64]
K1, B = 1.2, 0.75
# Some engines compute in single precision, so smaller differences of scores count as ties.
ROUNDING = {FULL_TEXT: 1e-5, VECTOR: 1e-6}


def word_characters(text: str) -> list[str]:
    """Split as bm25s does: get_name is one word."""
    return re.findall(r"\b\w\w+\b", text.lower())


SPLITTERS: dict[str, Callable[[str], list[str]]] = {"alphanumeric": alphanumeric, "words": word_characters}


class Words:
    """Count how often each word of the queries occurs in each text."""

    def __init__(self, corpus: Stored, splitter: str) -> None:
        # In texts without identifiers, spaces separate words.
        self._split = SPLITTERS[splitter] if corpus.name == IDENTIFIERS else str.split
        wanted = {word for queries in corpus.queries.values() for query in queries for word in self._split(query.text)}
        self._lengths = np.empty(corpus.size)
        postings: dict[str, dict[int, int]] = {word: {} for word in wanted}
        for number, text in enumerate(corpus.texts()):
            words = self._split(text)
            self._lengths[number] = len(words)
            for word in words:
                if word in wanted:
                    of_word = postings[word]
                    of_word[number] = of_word.get(number, 0) + 1
        self._postings = {
            word: (np.fromiter(found, np.int64, len(found)), np.fromiter(found.values(), np.float64, len(found)))
            for word, found in postings.items()
        }

    def scores(self, text: str, formula: str) -> Scores:
        count = len(self._lengths)
        scores = np.zeros(count)
        norms = K1 * (1 - B + B * self._lengths / self._lengths.mean())
        for word in self._split(text):
            numbers, frequencies = self._postings[word]
            rarity = (count - len(numbers) + 0.5) / (len(numbers) + 0.5)
            # SQLite uses the weight of Robertson and Spärck Jones, never below zero; the others use Lucene's weight.
            weight = max(np.log(rarity), 1e-6) if formula == "sqlite" else np.log(1 + rarity)
            scores[numbers] += weight * frequencies / (frequencies + norms[numbers])
        return scores


class Reference:
    """Compute the recall of answers: the share of the ten best that they contain, where ties are equally good."""

    def __init__(self, corpus: Stored) -> None:
        self._corpus = corpus
        self._words: dict[str, Words] = {}
        self._vectors = corpus.vectors if corpus.has_vectors else None
        rows = [attributes(number) for number in range(corpus.size)]
        self._passing = {key: np.array([row[key] == 0 for row in rows]) for key in SHARES}
        self._scores = cache(self._compute)

    def bm25(self, formula: str, length: int, place: int, where: Where | None, found: list[int]) -> float:
        return _share(found, self._filtered(formula, length, place, where), ROUNDING[FULL_TEXT])

    def vectors(self, length: int, place: int, where: Where | None, found: list[int]) -> float:
        return _share(found, self._filtered(VECTOR, length, place, where), ROUNDING[VECTOR])

    def fused(
        self, formula: str, fusion: tuple[int, int], length: int, place: int, where: Where | None, found: list[int]
    ) -> float:
        constant, depth = fusion
        scores = np.zeros(self._corpus.size)
        for leg in (formula, VECTOR):
            best = _best(self._filtered(leg, length, place, where), depth)
            scores[best] += 1 / (constant + np.arange(1, len(best) + 1))
        return _share(found, scores, 1e-9)

    def _filtered(self, leg: str, length: int, place: int, where: Where | None) -> Scores:
        scores = self._scores(leg, length, place)
        return np.where(self._passing[where.key], scores, 0) if where else scores

    def _compute(self, leg: str, length: int, place: int) -> Scores:
        query: Query = self._corpus.queries[length][place]
        if leg == VECTOR:
            assert self._vectors is not None
            # Adding 2 makes each score positive.
            return (self._vectors @ query.vector).astype(np.float64) + 2
        formula, splitter = leg.split(", ")
        if splitter not in self._words:
            self._words[splitter] = Words(self._corpus, splitter)
        return self._words[splitter].scores(query.text, formula)


def _best(scores: Scores, count: int) -> NDArray[np.int64]:
    candidates = np.argpartition(-scores, min(count * 2, len(scores) - 1))[: count * 2]
    ordered = candidates[np.lexsort((candidates, -scores[candidates]))][:count]
    best: NDArray[np.int64] = ordered[scores[ordered] > 0]
    return best


def _share(found: list[int], scores: Scores, rounding: float) -> float:
    best = _best(scores, TOP)
    if len(best) == 0:
        return 1.0
    enough = scores[best[-1]] - rounding
    return min(1.0, sum(1 for number in set(found) if scores[number] >= enough and scores[number] > 0) / len(best))
