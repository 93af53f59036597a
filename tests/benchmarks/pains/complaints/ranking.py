"""Measure how the order and the scores of a hybrid search serve: names, limits, rerankers."""

from __future__ import annotations

from typing import ClassVar

from benchmarks.pains.engine import DEPTH, ENGLISH, HYBRID, RERANKED, VECTOR, Engine, Query
from benchmarks.pains.pain import Figure, Pain
from benchmarks.pains.texts import OFF_TOPIC, Texts, topic
from pgbraid.reranker import Reranker

HELP = "help"


def load_help(engine: Engine, texts: Texts) -> None:
    """Load Python's help, once for all pains that search it."""
    if engine in texts.loaded:
        return
    engine.create(HELP, len(texts.help[0].chunks[0].vector), ENGLISH)
    engine.write(HELP, texts.help, None)
    engine.settle(HELP)
    texts.loaded.append(engine)


class ExactNames(Pain):
    title = "Exact names are buried"
    main = ("named document first, %", 1)
    threads = (
        "https://github.com/open-metadata/OpenMetadata/issues/31967",
        "https://github.com/Destrayon/Connapse/issues/402",
    )
    question = "Who types the exact name of a document: does this document come first?"
    method = (
        "Python's help: a document for each topic, with the topic's name as its title, among passages of all topics. "
        "The query is the name alone, such as `with` or `typesseq-mutable`. Passes if 95 % are first."
    )

    def measure(self, engine: Engine) -> Figure:
        load_help(engine, self.texts)
        places = []
        for name in self.texts.topics:
            hits = [hit.document for hit in engine.search(HELP, self.texts.query(name, count=DEPTH))]
            places.append(hits.index(name) + 1 if name in hits else DEPTH + 1)
        count = len(places)
        return {
            "named document first, %": 100 * sum(place == 1 for place in places) / count,
            "not among the first 10, %": 100 * sum(place > 10 for place in places) / count,
        }

    def passes(self, figure: Figure) -> bool:
        return figure["named document first, %"] >= 95


class MeaninglessScores(Pain):
    title = "Scores mean nothing"
    main = ("wrong, %", -1)
    threads = (
        "https://github.com/milvus-io/milvus/issues/40497",
        "https://github.com/ohdearquant/khive/issues/1111",
        "https://github.com/mozilla/kitsune/pull/6861",
    )
    question = "Can a search say that the texts do not answer a question?"
    method = (
        "Thirty questions that the help answers, and thirty about eggs, trains and taxes. pgbraid decides by itself, "
        "with `min_relevance` `auto`. Each peer gets the one limit for its best score that is wrong least often here, "
        "which is found with hindsight. The similarity of vectors alone gets such a limit in every engine. Passes if "
        "no more than 10 % of the questions are treated wrongly."
    )

    def measure(self, engine: Engine) -> Figure:
        load_help(engine, self.texts)
        answered, refused = self._wrong(engine, HYBRID, engine.has_floor)
        astray, short = self._wrong(engine, VECTOR, False)
        asked, off_topic = len(self.texts.questions), len(OFF_TOPIC)
        return {
            "answered, though off topic, %": 100 * answered / off_topic,
            "refused, though answerable, %": 100 * refused / asked,
            "wrong, %": 100 * (answered + refused) / (off_topic + asked),
            "wrong by the similarity of vectors alone, %": 100 * (astray + short) / (off_topic + asked),
        }

    def _wrong(self, engine: Engine, mode: str, by_itself: bool) -> tuple[int, int]:
        """Return how many questions off topic are answered and how many others are refused."""
        best, astray = (
            [self._best(engine, text, mode, by_itself) for text in texts]
            for texts in ([text for text, _ in self.texts.questions], OFF_TOPIC)
        )
        # A search that decides by itself returns nothing, or something.
        limits = [0.0] if by_itself else sorted({*best, *astray, float("inf")})
        return min(
            ((sum(score >= limit for score in astray), sum(score < limit for score in best)) for limit in limits),
            key=sum,
        )

    def _best(self, engine: Engine, text: str, mode: str, by_itself: bool) -> float:
        hits = engine.search(HELP, self.texts.query(text, mode=mode, floor=by_itself))
        if by_itself:
            return 0.0 if hits else -1.0
        return hits[0].score if hits else float("-inf")

    def passes(self, figure: Figure) -> bool:
        return figure["wrong, %"] <= 10


class Rerankers(Pain):
    title = "A reranker makes it worse"
    main = ("after the reranker, %", 1)
    threads = (
        "https://github.com/trip2g/trip2g/pull/139",
        "https://github.com/1jehuang/jcode/issues/1228",
    )
    question = "Does a small reranker make results worse?"
    method = (
        "The questions about the help, and the names of topics. The first hit is right if its topic answers. "
        "The reranker scores the first ten rows. By hand and in LanceDB its order replaces the order of the search; "
        "pgbraid blends both. LangChain's store has no reranker. Passes if no more than 2 % are lost."
    )
    reranker: ClassVar[Reranker | None] = None
    about: ClassVar[str] = ""

    def __init__(self, texts: Texts, scale: float = 1) -> None:
        super().__init__(texts, scale)
        self.known: dict[str, dict[str, float]] = {}

    def measure(self, engine: Engine) -> Figure:
        assert self.reranker is not None
        load_help(engine, self.texts)
        asked = [*self.texts.questions, *((name, {name}) for name in list(self.texts.topics)[::6])]
        before = after = 0
        for text, right in asked:
            query = self.texts.query(text, count=RERANKED)
            hits = engine.search(HELP, query)
            if not hits:
                continue
            before += topic(hits[0].document) in right
            texts = list(dict.fromkeys(hit.text for hit in hits))
            scores = self._scores(text, texts)
            again = engine.search(HELP, Query(text, query.vector, count=5, reranked=scores))
            after += bool(again) and topic(again[0].document) in right
        return {
            "first hit right, %": 100 * before / len(asked),
            "after the reranker, %": 100 * after / len(asked),
        }

    def _scores(self, query: str, texts: list[str]) -> dict[str, float]:
        """Score texts, each once for all engines."""
        known = self.known.setdefault(query, {})
        if missing := [text for text in texts if text not in known]:
            assert self.reranker is not None
            known |= zip(missing, self.reranker.rerank(query, missing).tolist(), strict=True)
        return {text: known[text] for text in texts}

    def passes(self, figure: Figure) -> bool:
        return figure["after the reranker, %"] >= figure["first hit right, %"] - 2
