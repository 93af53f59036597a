"""Make a static embedder of an offline model: a vector for each token, by which the database embeds texts in SQL."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pgbraid.embedders.local import BEGIN, END, LocalEmbedder
from pgbraid.embedders.model_files import DEFAULT
from pgbraid.errors import EmbeddingError

if TYPE_CHECKING:
    import psycopg

    from pgbraid.embedders.bert import Array

NAME = "minilm-static"
PART = "static_embeddings"
# BERT's vocabulary has special and unused tokens up to here, then characters, then words, frequent words first.
FIRST_TOKEN = 999
FIRST_WORD = 1996
# Texts of this many tokens pass the network at once.
PACK = 600
# The directions that all tokens share, and that tell texts apart least, are removed (Mu and Viswanath 2018).
COMMON_DIRECTIONS = 5
# Smooth inverse frequency (Arora et al. 2017): a token of frequency p has the weight a / (a + p).
SMOOTHING = 1e-4
BATCH = 2000

Letter = tuple[int, int, "str | None"]


class StaticEmbedder(NamedTuple):
    """Hold a table of token vectors, as braid.set_static_embedder takes it."""

    name: str
    source_model: str | None
    tokens: list[str]
    embeddings: Array
    letters: list[Letter]

    def batches(self) -> Iterator[tuple[list[str], list[str], list[Letter] | None, bool]]:
        """Yield tokens, vectors as text, letters and whether to append, for calls of braid.set_static_embedder."""
        for start in range(0, len(self.tokens), BATCH):
            rows = self.embeddings[start : start + BATCH].astype(np.float16)
            vectors = ["[" + ",".join(f"{number:.5g}" for number in row) + "]" for row in rows.tolist()]
            yield self.tokens[start : start + BATCH], vectors, None if start else self.letters, start > 0


def make(notify: Callable[[str], object] = lambda _: None) -> StaticEmbedder:
    """Make the static embedder of all-MiniLM-L6-v2, in a minute or two. Raise EmbeddingError without the model's files.

    Each token passes the network alone, as model2vec does it. The vectors lose the directions that all share, and are
    weighted by the token's rarity.
    """
    tokenizer, model = LocalEmbedder()._parts
    notify("each of the model's tokens passes the network once, which takes a minute or two")
    names = vocabulary(tokenizer)
    kept = [number for number, name in enumerate(names) if number >= FIRST_TOKEN and not name.startswith("[unused")]
    packs = [kept[start : start + PACK] for start in range(0, len(kept), PACK)]
    vectors = np.concatenate([model([[BEGIN, number, END] for number in pack]) for pack in packs])
    vectors = without_common_directions(vectors) * rarities(kept, names)[:, None]
    return StaticEmbedder(NAME, DEFAULT.name, [names[number] for number in kept], vectors, letters(tokenizer))


def vocabulary(tokenizer: Any) -> list[str]:
    """Return the tokens of a tokenizer in the order of their ids."""
    found = tokenizer.get_vocab()
    return sorted(found, key=lambda name: found[name])


def without_common_directions(vectors: Array) -> Array:
    """Return the vectors without their mean and their first principal components."""
    centred = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    common = directions[:, -COMMON_DIRECTIONS:]
    left: Array = centred - (centred @ common) @ common.T
    return left


def rarities(ids: list[int], names: list[str]) -> Array:
    """Return the weight of each token. Its frequency follows from its rank in the vocabulary by Zipf's law; a sign is
    as frequent as the first word, and another character as the thousandth."""
    signs = {number for number in ids if number < FIRST_WORD and unicodedata.category(names[number])[0] in "PSZ"}
    ranks = [number - FIRST_WORD + 1 if number >= FIRST_WORD else 1 if number in signs else 1000 for number in ids]
    frequencies = 1 / (np.array(ranks, dtype=np.float64) + 2.7)
    frequencies /= frequencies.sum()
    weights: Array = (SMOOTHING / (SMOOTHING + frequencies)).astype(np.float32)
    return weights


def letters(tokenizer: Any) -> list[Letter]:
    """Return what a tokenizer makes of each character beyond ASCII, by ranges of characters treated alike.

    Characters that Unicode decomposes are left out, because the database decomposes them first.
    """
    found: list[Letter] = []
    for code in range(128, 0x110000):
        letter = chr(code)
        if 0xD800 <= code < 0xE000 or unicodedata.normalize("NFD", letter) != letter:
            continue
        replacement: str | None = tokenizer.normalizer.normalize_str(letter)
        if replacement == letter:
            if len(tokenizer.pre_tokenizer.pre_tokenize_str(f"a{letter}a")) == 1:
                continue
            replacement = None
        elif replacement is not None and replacement.strip() == letter:
            replacement = None
        if found and found[-1][2] == replacement and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code, replacement)
        else:
            found.append((code, code, replacement))
    return found


def load(connection: psycopg.Connection[Any], embedder: StaticEmbedder) -> int:
    """Store the embedder in one transaction; return its number of tokens."""
    count = 0
    with connection.transaction():
        for tokens, vectors, rules, append in embedder.batches():
            row = connection.execute(
                "select braid.set_static_embedder(%s, %s, %s::text[]::" + _halfvec(connection) + "[], %s, %s, %s)",
                (
                    embedder.name,
                    tokens,
                    vectors,
                    embedder.source_model,
                    None if rules is None else json.dumps(rules),
                    append,
                ),
            ).fetchone()
            count = row[0] if row else 0
    return count


def load_missing(connection: psycopg.Connection[Any], notify: Callable[[str], object]) -> None:
    """Make and store the embedder, unless the database has it."""
    connection.execute("set client_encoding to utf8")
    if connection.execute("select from braid.static_embedders() where name = %s", (NAME,)).fetchone() is not None:
        notify(f"static embedder {NAME} is loaded already")
        return
    count = load(connection, make(notify))
    notify(f"static embedder {NAME} loaded ({count:,} tokens)")


def load_new(dsn: str, notify: Callable[[str], object]) -> None:
    """Make and store the embedder after an installation, unless the database has it. Say how to load it later if the
    model's files are missing."""
    import psycopg

    try:
        with psycopg.connect(dsn, autocommit=True) as connection:
            load_missing(connection, notify)
    except EmbeddingError as error:
        notify(f"warning: {error.message}: {error.hint}; then run: pgbraid static-embedder")


def write_sql(embedder: StaticEmbedder, path: Path) -> None:
    """Write the embedder as SQL for psql, which stores all of it or nothing."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"-- The static embedder {embedder.name}, for a database with the part {PART}.\nbegin;\n")
        for tokens, vectors, rules, append in embedder.batches():
            given = [embedder.name, _array(tokens), _array(vectors), embedder.source_model]
            given.append(None if rules is None else json.dumps(rules))
            literals = ", ".join("null" if one is None else _literal(one) for one in given)
            file.write(f"select braid.set_static_embedder({literals}, {str(append).lower()});\n")
        file.write("commit;\n")


def _halfvec(connection: psycopg.Connection[Any]) -> str:
    row = connection.execute(
        "select format('%I.halfvec', n.nspname) from pg_catalog.pg_extension e"
        " join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'"
    ).fetchone()
    assert row is not None
    return str(row[0])


def _array(values: list[str]) -> str:
    quoted = ('"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"' for value in values)
    return "{" + ",".join(quoted) + "}"


def _literal(value: str) -> str:
    escaped = value.replace("'", "''")
    return "'" + escaped + "'" if "\\" not in escaped else "E'" + escaped.replace("\\", "\\\\") + "'"
