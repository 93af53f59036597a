"""Measure which words full text finds: without spaces, misspelt, and parts of words."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.pains.complaints.ranking import HELP, load_help
from benchmarks.pains.engine import ANY_LANGUAGE, FULL_TEXT, Engine
from benchmarks.pains.pain import Figure, Pain
from benchmarks.pains.texts import COMPOUND_PARTS, IDENTIFIER_PARTS, MIXED, WITHOUT_SPACES


def found(
    pain: Pain, engine: Engine, collection: str, pairs: Sequence[tuple[str, str]], compounds: bool = False
) -> float:
    """Return how many of the lines are among the first three for their query, in percent."""
    hits = 0
    for line, text in pairs:
        query = pain.texts.query(text, mode=FULL_TEXT, count=3, compounds=compounds)
        hits += any(hit.text == line for hit in engine.search(collection, query))
    return 100 * hits / len(pairs)


def load_lines(pain: Pain, engine: Engine, collection: str, pairs: Sequence[tuple[str, str]]) -> None:
    documents = pain.texts.documents([line for line, _ in pairs], "line")
    engine.create(collection, len(documents[0].chunks[0].vector), ANY_LANGUAGE)
    engine.write(collection, documents, None)
    engine.settle(collection)


class MixedScripts(Pain):
    title = "Full text is dead for Chinese, Japanese and Thai"
    main = ("without spaces, %", 1)
    threads = (
        "https://github.com/openclaw/openclaw/issues/20730",
        "https://github.com/openclaw/openclaw/issues/110500",
    )
    question = "Are words found in scripts that put no spaces between words, and in lines that mix scripts?"
    method = (
        "Lines with a query whose words they have; full text alone. PostgreSQL's configuration is `simple`, LanceDB's "
        "tokenizer `icu/split`. A line counts if it is among the first three. Passes if 90 % of both kinds are."
    )

    def measure(self, engine: Engine) -> Figure:
        load_lines(self, engine, "scripts", [*WITHOUT_SPACES, *MIXED])
        return {
            "without spaces, %": found(self, engine, "scripts", WITHOUT_SPACES),
            "mixed scripts, %": found(self, engine, "scripts", MIXED),
        }

    def passes(self, figure: Figure) -> bool:
        return min(figure.values()) >= 90


class Typos(Pain):
    title = "A typo, or a part of a word, finds nothing"
    main = ("misspelt, stemmed, %", 1)
    threads = ("https://github.com/Silo-Server/silo-server/issues/201",)
    question = "Is a word found that was typed wrong, and a word inside a longer one?"
    method = (
        "Rare words of the help with two letters exchanged, in an index that stems English words and in one that does "
        "not. Parts of identifiers (`user profile` for `getUserProfile`), and parts of German compounds. All by full "
        "text alone; pgbraid's option `typos` is `auto`, for compounds `decompounding`, and LanceDB searches for typos "
        "with `fuzziness` 1, then 2. A text counts if it is among the first three. Passes if 75 % of each kind are, "
        "typos in either index."
    )

    def measure(self, engine: Engine) -> Figure:
        load_help(engine, self.texts)
        meant = [word for _, word in self.texts.misspelt]
        passages = [text for of_topic in self.texts.passages.values() for text in of_topic]
        chosen = [text for text in passages if any(word in text for word in meant)]
        load_lines(self, engine, "unstemmed", [(text, "") for text in chosen])
        load_lines(self, engine, "parts", [*IDENTIFIER_PARTS, *COMPOUND_PARTS])
        return {
            "misspelt, stemmed, %": self._found_misspelt(engine, HELP),
            "misspelt, not stemmed, %": self._found_misspelt(engine, "unstemmed"),
            "parts of identifiers, %": found(self, engine, "parts", IDENTIFIER_PARTS),
            "parts of compounds, %": found(self, engine, "parts", COMPOUND_PARTS, compounds=True),
        }

    def _found_misspelt(self, engine: Engine, collection: str) -> float:
        right = 0
        for typed, meant in self.texts.misspelt:
            hits = engine.search(collection, self.texts.query(typed, mode=FULL_TEXT, count=3, typos=True))
            right += any(meant in hit.text for hit in hits)
        return 100 * right / len(self.texts.misspelt)

    def passes(self, figure: Figure) -> bool:
        stemmed, not_stemmed, *parts = figure.values()
        return min(max(stemmed, not_stemmed), *parts) >= 75
