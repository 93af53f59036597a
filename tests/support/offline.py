"""Compute rankings outside the database from the same tokens and vectors."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from support.bm25_model import Tokenizer
from support.judged import Judged

Vectors = npt.NDArray[np.float32]
K1 = 1.2


def rank(judged: Judged, scores: npt.NDArray[np.float64], depth: int = 100) -> list[str]:
    """Return the ids of documents with positive scores, best first, ties by id."""
    order = sorted(np.flatnonzero(scores > 0), key=lambda n: (-scores[n], judged.document_ids[n].encode()))
    return [judged.document_ids[number] for number in order[:depth]]


def full_text_rankings(judged: Judged, tokenizer: Tokenizer) -> list[list[str]]:
    """Return BM25 rankings (lucene) with title and content as one field, which equals a title weight of 1."""
    tokenizer.learn([*judged.titles, *judged.contents, *judged.queries])
    searched = []
    for text in judged.queries:
        tokens = tokenizer(text)
        if any(token.kind != "stop_word" for token in tokens):
            tokens = [token for token in tokens if token.kind != "stop_word"]
        searched.append([token.lexeme for token in tokens])
    frequencies: list[Counter[str]] = []
    lengths = []
    for texts in zip(judged.titles, judged.contents, strict=True):
        field_tokens = [tokenizer(text) for text in texts]
        frequencies.append(Counter(token.lexeme for tokens in field_tokens for token in tokens))
        lengths.append(sum(len({t.position for t in tokens if t.kind != "stop_word"}) for tokens in field_tokens))
    wanted = {lexeme for lexemes in searched for lexeme in lexemes}
    count = sum(1 for title, content in zip(judged.titles, judged.contents, strict=True) if title or content)
    average = sum(lengths) / count
    b = 0.75 * min(1, average / 40)
    norms = K1 * (1 - b + b * np.array(lengths) / average)
    columns: dict[str, tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]] = {}
    for lexeme in wanted:
        where = np.array([n for n, counts in enumerate(frequencies) if lexeme in counts], dtype=np.int64)
        times = np.array([frequencies[n][lexeme] for n in where], dtype=np.float64)
        idf = np.log(1 + (count - len(where) + 0.5) / (len(where) + 0.5))
        columns[lexeme] = where, idf * times / (times + norms[where])
    rankings = []
    for lexemes in searched:
        scores = np.zeros(len(frequencies))
        for lexeme in lexemes:
            where, weights = columns[lexeme]
            scores[where] += weights
        rankings.append(rank(judged, scores))
    return rankings


def semantic_rankings(judged: Judged, documents: Vectors, queries: Vectors) -> list[list[str]]:
    """Return rankings by the exact cosine of unit vectors."""
    similarities = queries.astype(np.float64) @ documents.astype(np.float64).T
    return [rank(judged, row + 2) for row in similarities]
