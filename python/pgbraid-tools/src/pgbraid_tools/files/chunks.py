"""Pack structured text into chunks that fit the embedding model, each below the path of its headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from pgbraid_tools.files.drafts import MOST_DOCUMENT_CHARACTERS, Draft, Input, NoText

__all__ = ["Block", "drafts_of_blocks", "drafts_of_chunks", "pack", "split", "token_cost"]


@dataclass(frozen=True)
class Block:
    """Hold a heading, paragraph, list, table or code block. `headings` is the path of headings above the block,
    outermost first."""

    text: str
    headings: tuple[str, ...] = ()
    is_heading: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    position: int = 0


_NOT_ASCII = re.compile(r"[^\x01-\x7f]+")
_HANGUL = re.compile("[가-힣]")
_SWITCHES = re.compile(rb"[A-Za-z][0-9]|[0-9][A-Za-z]")
_ANY_LOUD_WORD = re.compile(r" (?:THE|OF|AND|TO|IN) ")
_PUNCTUATION = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_COMMON = "the|of|and|to|in|that|is|for|was|with|are|from|be|this|it|have|not|which|you|they|but|we"
_WORDS = re.compile(f" (?:{_COMMON}) ")
_LOUD_WORDS = re.compile(f" (?:{_COMMON}|{_COMMON.upper()}) ")


def token_cost(text: str) -> float:
    """Return an upper estimate of a text's tokens, with the same rules as braid_store.token_costs."""
    text = text.rstrip(" \n")
    if not text:
        return 0.0
    only_ascii = text if text.isascii() else _NOT_ASCII.sub("é", text)
    data = only_ascii.encode()
    length = len(text)
    spaces = data.count(b" ")
    punctuation = len(data) - len(data.translate(None, _PUNCTUATION))
    digits = len(data) - len(data.translate(None, b"0123456789"))
    rare = len(data) - len(data.translate(None, b"jkqxzJKQXZ"))
    capitals = len(data) - len(data.translate(None, _CAPITALS))
    foreign = 0 if text.isascii() else length - len(only_ascii.replace("é", ""))
    hangul = len(_HANGUL.findall(text)) if foreign else 0
    common = _LOUD_WORDS if capitals and _ANY_LOUD_WORD.search(only_ascii) else _WORDS
    discounts = len(common.findall(only_ascii))
    letters = length - spaces - punctuation - digits
    separated = 100 * (1 + spaces + punctuation + foreign + hangul)
    weighed = (
        78 * (1 + spaces)
        + 22 * letters
        + 125 * punctuation
        + 60 * digits
        + (95 * len(_SWITCHES.findall(data)) if digits else 0)
        + 78 * foreign
        + 100 * hangul
        + 240 * rare
        + (4 if 2 * capitals > letters else 27) * capitals
        - 270 * discounts
    )
    return max(separated, weighed) / 100


# Ordered from the coarsest cut to the finest; a piece ends after a match.
_CUTS = tuple(
    map(
        re.compile, (r"\n[^\S\n]*\n\s*", r"\n\s*", r"[.!?…][.!?…\"'”’»)\]]*\s+|[。！？｡।॥؟۔։።]\s*", r"[;,:]\s+", r"\s+")
    )
)


def split(text: str, budget: float) -> list[str]:
    """Split a text into pieces of at most `budget` tokens; joined, the pieces are the text again.

    Cuts fall between paragraphs if that suffices, else between lines, sentences or words, and as a last resort within a
    word.
    """
    return [text] if token_cost(text) <= budget else list(_split(text, budget, 0))


def _split(text: str, budget: float, level: int) -> Iterator[str]:
    if level == len(_CUTS):
        yield from _halves(text, budget)
        return
    held, cost = "", 0.0
    start = 0
    for end in [*(found.end() for found in _CUTS[level].finditer(text)), len(text)]:
        part, start = text[start:end], end
        more = token_cost(part)
        if held and cost + more > budget:
            yield held
            held, cost = "", 0.0
        if more > budget:
            yield from _split(part, budget, level + 1)
        else:
            held, cost = held + part, cost + more
    if held:
        yield held


def _halves(text: str, budget: float) -> Iterator[str]:
    waiting = [text]
    while waiting:
        piece = waiting.pop()
        if len(piece) == 1 or token_cost(piece) <= budget:
            yield piece
        else:
            waiting += [piece[len(piece) // 2 :], piece[: len(piece) // 2]]


@dataclass
class _Chunk:
    """Collect the pieces of the chunk being filled, each with its block and cost in tokens."""

    pieces: list[tuple[str, Block, float]] = field(default_factory=list)

    @property
    def cost(self) -> float:
        return sum(cost for _, _, cost in self.pieces)

    def headings_at_end(self) -> int:
        """Return how many headings end the chunk; they belong to the text that follows."""
        count = 0
        for _, block, _ in reversed(self.pieces):
            if not block.is_heading:
                break
            count += 1
        return count

    def values(self) -> dict[str, Any] | None:
        text = "".join(piece for piece, _, _ in self.pieces).strip("\n").rstrip()
        if not text.strip():
            return None
        first = self.pieces[0][1]
        context = " > ".join(first.headings)
        content = f"{context}\n\n{text}" if context else text
        return {"content": content, **({"metadata": dict(first.metadata)} if first.metadata else {})}


# A chunk that is fuller than this share of the budget ends before a heading.
_FULL_ENOUGH = 1 / 3
MOST_CONTEXT_CHARACTERS = 300


def pack(blocks: Iterable[Block], budget: float) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield chunks of at most `budget` tokens, in order, each with the position of its last block.

    Blocks stay whole where they fit. A chunk begins with the path of the headings above it, followed by the unchanged
    text of its blocks.
    """
    chunk, room, position = _Chunk(), budget, 0
    for block in blocks:
        headings = _shortened(block.headings)
        block = Block(block.text, headings, block.is_heading, block.metadata, block.position)
        room_alone = budget - min(_context_cost(headings), budget / 2)
        for piece in split(block.text, room_alone):
            cost = token_cost(piece)
            full = chunk.cost + cost > room
            ends = block.is_heading and not chunk.headings_at_end() and chunk.cost > _FULL_ENOUGH * budget
            other = bool(chunk.pieces) and chunk.pieces[0][1].metadata != block.metadata
            if chunk.pieces and (full or ends or other):
                count = 0 if other else chunk.headings_at_end()
                carried = chunk.pieces[len(chunk.pieces) - count :] if count < len(chunk.pieces) else []
                chunk.pieces = chunk.pieces[: len(chunk.pieces) - len(carried)]
                if values := chunk.values():
                    yield values, position
                chunk = _Chunk(carried)
            chunk.pieces.append((piece, block, cost))
            if len(chunk.pieces) == 1 or full or ends or other:
                room = budget - min(_context_cost(chunk.pieces[0][1].headings), budget / 2)
        position = block.position
    if chunk.pieces and (values := chunk.values()):
        yield values, position


@lru_cache(maxsize=1_000)
def _context_cost(headings: tuple[str, ...]) -> float:
    return token_cost(" > ".join(headings))


def _shortened(headings: tuple[str, ...]) -> tuple[str, ...]:
    """Return the innermost headings that fit into MOST_CONTEXT_CHARACTERS together."""
    kept: list[str] = []
    for heading in reversed(headings):
        kept.append(heading[:MOST_CONTEXT_CHARACTERS])
        if sum(map(len, kept)) > MOST_CONTEXT_CHARACTERS:
            kept = kept[:-1] if len(kept) > 1 else kept
            break
    return tuple(reversed(kept))


def drafts_of_blocks(file: Input, blocks: Iterable[Block], values: Mapping[str, Any]) -> Iterator[Draft]:
    """Yield a document with `values`; several if the text is long. Raise NoText."""
    title = str(values.get("title") or "")
    # Title and chunk are embedded together.
    budget = file.chunk_tokens - min(token_cost(title), file.chunk_tokens / 2)
    yield from drafts_of_chunks(pack((_under(block, title) for block in blocks), budget), values)


def drafts_of_chunks(packed: Iterable[tuple[dict[str, Any], int]], values: Mapping[str, Any]) -> Iterator[Draft]:
    """Yield documents of at most a million characters, each with `values`. Raise NoText."""
    chunks: list[dict[str, Any]] = []
    size = number = position = 0
    for chunk, position in packed:
        more = len(chunk["content"])
        if chunks and size + more > MOST_DOCUMENT_CHARACTERS:
            number += 1
            yield _draft(chunks, values, number, position)
            chunks, size = [], 0
        chunks.append(chunk)
        size += more
    if chunks:
        yield _draft(chunks, values, number + 1, position)
    elif not number:
        raise NoText("no text")


def _under(block: Block, title: str) -> Block:
    """Return the block without the title among its headings, since each chunk is embedded with the title anyway."""
    if title and block.headings and block.headings[0] == title:
        return Block(block.text, block.headings[1:], block.is_heading, block.metadata, block.position)
    return block


def _draft(chunks: list[dict[str, Any]], values: Mapping[str, Any], number: int, position: int) -> Draft:
    text = {"content": chunks[0]["content"]} if len(chunks) == 1 and len(chunks[0]) == 1 else {"chunks": chunks}
    return Draft({**values, **text}, None if number == 1 else f"part-{number}", position)
