"""Compute BM25 as pgbraid defines it, over every chunk in memory. Nothing is incremental, so little can go wrong."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import psycopg
import pytest

Connection = psycopg.Connection[Any]


class Token(NamedTuple):
    position: int
    lexeme: str
    kind: str


class Hit(NamedTuple):
    external_id: str
    chunk_index: int
    score: float


def approximately(hits: Iterable[Hit]) -> list[Any]:
    """Return a value that equals results in the same order with the same scores, except for rounding."""
    return [(hit.external_id, hit.chunk_index, pytest.approx(hit.score, abs=1e-9)) for hit in hits]


class Tokenizer:
    """Call `braid_store.tokenize`, the only code that the model shares with pgbraid, and cache the tokens."""

    def __init__(self, db: Connection, text_config: str = "english", fold_diacritics: bool = True) -> None:
        self._db = db
        self._settings = (text_config, fold_diacritics)
        self._known: dict[str, list[Token]] = {}

    def __call__(self, text: str) -> list[Token]:
        self.learn([text])
        return self._known[text]

    def learn(self, texts: Iterable[str]) -> None:
        unknown = sorted(set(texts) - self._known.keys())
        if not unknown:
            return
        self._known.update({text: [] for text in unknown})
        rows = self._db.execute(
            'select text_number, "position", lexeme, kind from braid_store.tokenize(%s, %s, %s)',
            (unknown, *self._settings),
        )
        for number, *token in rows:
            self._known[unknown[number - 1]].append(Token(*token))


@dataclass(frozen=True)
class Chunk:
    """Hold a chunk as it is indexed: the body is speaker and content."""

    external_id: str
    chunk_index: int
    title: str
    body: str
    attributes: dict[str, Any] = field(default_factory=dict, hash=False)


class _Entry(NamedTuple):
    chunk: Chunk
    body: Counter[str]
    title: Counter[str]
    body_length: int
    title_length: int


def _length(tokens: Sequence[Token]) -> int:
    return len({token.position for token in tokens if token.kind != "stop_word"})


class Bm25Model:
    """Compute Robertson's BM25F with Lucene's idf over a set of chunks."""

    def __init__(
        self,
        chunks: Iterable[Chunk],
        tokenizer: Tokenizer,
        k1: float = 1.2,
        b: float | None = None,
        title_weight: float = 1.0,
    ) -> None:
        chunks = list(chunks)
        tokenizer.learn([text for chunk in chunks for text in (chunk.title, chunk.body)])
        self._tokenizer = tokenizer
        self._k1, self._b, self._title_weight = k1, b, title_weight
        self._entries = []
        self._frequencies: Counter[str] = Counter()
        for chunk in chunks:
            title, body = tokenizer(chunk.title), tokenizer(chunk.body)
            entry = _Entry(
                chunk,
                Counter(token.lexeme for token in body),
                Counter(token.lexeme for token in title),
                _length(body),
                _length(title),
            )
            self._entries.append(entry)
            # A title belongs to the document, so its words count once, at the first chunk.
            self._frequencies.update(entry.body.keys() | (entry.title.keys() if chunk.chunk_index == 0 else set()))
        # The number of chunks, the total length of bodies, and the total length of titles.
        self.statistics = (
            len(self._entries),
            sum(entry.body_length for entry in self._entries),
            sum(entry.title_length for entry in self._entries),
        )

    def search(self, query: str, match: str = "any", accept: Callable[[Chunk], bool] = lambda chunk: True) -> list[Hit]:
        """Return all hits, best first; `match` is any, all or a share such as 75%."""
        tokens = self._tokenizer(query)
        if any(token.kind != "stop_word" for token in tokens):
            tokens = [token for token in tokens if token.kind != "stop_word"]
        if any(token.kind == "bigram" for token in tokens):
            tokens = [token for token in tokens if token.kind != "character"]
        times = Counter(token.lexeme for token in tokens)
        # A lexeme belongs to the word at its first position; parts of a compound have the compound's position.
        words: dict[str, set[tuple[int, str]]] = {}
        for token in sorted(tokens):
            words.setdefault(token.lexeme, {(token.position, "")})
        if match != "any" and any(token.kind == "part" for token in tokens):
            words = self._whole_words(query, set(times))

        rarest = sorted((self._frequencies[lexeme], lexeme) for lexeme in times if self._frequencies[lexeme])
        kept = sorted(lexeme for _, lexeme in rarest[:64])
        counted: set[tuple[int, str]] = set()
        for lexeme in times:
            if lexeme in kept or not self._frequencies[lexeme]:
                counted |= words.get(lexeme, set())
        required = _required(match, len(counted)) if counted else 0
        scores = [
            Hit(entry.chunk.external_id, entry.chunk.chunk_index, score)
            for entry in self._entries
            if accept(entry.chunk) and (score := self._score(entry, kept, times, words, required)) is not None
        ]
        return sorted(scores, key=lambda hit: (-hit.score, hit.external_id.encode(), hit.chunk_index))

    def _whole_words(self, query: str, searched: set[str]) -> dict[str, set[tuple[int, str]]]:
        """Return the words that each lexeme stands for, where the parts of an identifier stand for nothing."""
        words: dict[str, set[tuple[int, str]]] = {}
        offset = 0
        for written in query.split():
            tokens = [token for token in self._tokenizer(written) if token.lexeme in searched]
            for position in sorted({token.position for token in tokens}):
                here = [token for token in tokens if token.position == position]
                parts = {token.lexeme for token in here if token.kind == "part"}
                whole = {token.lexeme for token in here if token.kind == "compound"}
                is_prose = re.fullmatch(r"[^\W\d_]+(-[^\W\d_]+)+", written) and not re.search("[a-z][A-Z]", written)
                meant: dict[str, set[tuple[int, str]]] = {}
                if parts and whole and is_prose:
                    meant = {part: {(offset + position, part)} for part in parts}
                    meant |= {lexeme: {(offset + position, part) for part in parts} for lexeme in whole}
                else:
                    counted = whole if parts and whole else {token.lexeme for token in here}
                    version = re.fullmatch(r"v(\d+\.[\d.]*)", written)
                    counted |= parts & {version[1]} if version else set()
                    meant = {lexeme: {(offset + position, "")} for lexeme in counted}
                for lexeme, own in meant.items():
                    words.setdefault(lexeme, own)
            offset += 1000
        return words

    def _score(
        self,
        entry: _Entry,
        lexemes: list[str],
        times: Counter[str],
        words: dict[str, set[tuple[int, str]]],
        required: int,
    ) -> float | None:
        count, body_length, title_length = self.statistics
        # The sums follow braid_store.exact_scores in order and rounding. Chunks that differ only by rounding, for
        # example
        # because two words of equal frequency are swapped, are then ordered in the same way.
        average = (body_length + self._title_weight * title_length) / count or 1.0
        length = entry.body_length + self._title_weight * entry.title_length
        # None, a collection's default, means .75, or less if chunks have fewer than 40 tokens on average.
        b = 0.75 * min(1, average / 40) if self._b is None else self._b
        saturation = self._k1 * (1 - b + b * length / average)
        score = 0.0
        found: set[tuple[int, str]] = set()
        for lexeme in lexemes:
            title_frequency = entry.title[lexeme]
            frequency = entry.body[lexeme] + title_frequency + (self._title_weight - 1) * title_frequency
            if frequency > 0:
                df = self._frequencies[lexeme]
                weight = times[lexeme] * math.log(1 + (count - df + 0.5) / (df + 0.5))
                score += weight * frequency / (frequency + saturation)
                found |= words.get(lexeme, set())
        return score if score > 0 and len(found) >= required else None


def _required(match: str, word_count: int) -> int:
    if match == "any":
        return 1
    share = 100 if match == "all" else int(match.removesuffix("%"))
    return max(1, -(-word_count * share // 100))


def stored_chunks(db: Connection, tenant: str | None = None, collection: str = "default") -> list[Chunk]:
    """Return the documents and chunks that the tables store for the session's tenant or another, without the index."""
    rows = db.execute(
        """
        select d.external_id, c.chunk_index, d.title, c.speaker, c.content
        from braid_store.chunks c
        join braid_store.documents d on d.tenant_id = c.tenant_id and d.id = c.document_id
        join braid_store.tenants t on t.id = c.tenant_id
        join braid_store.collections k on k.id = c.collection_id
        where t.key = coalesce(%s, nullif(current_setting('braid.tenant', true), ''), 'default') and k.name = %s
        """,
        (tenant, collection),
    )
    return [
        Chunk(external_id, index, title or "", indexed_body(speaker, content))
        for external_id, index, title, speaker, content in rows
    ]


def indexed_body(speaker: str | None, content: str) -> str:
    return content if speaker is None else f"{speaker}\n{content}"
