"""Make random searches of all kinds: entry points, options, filters, weights, tenants, and refused input."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.changes.content import (
    COLLECTIONS,
    COMMON,
    ENGLISH,
    GERMAN,
    MODELS,
    SPEAKERS,
    TOKEN_DIMENSIONS,
    WORDS,
    embed,
)

Arguments = dict[str, Any]
NOW = "2025-06-15T12:00:00Z"
# Each entry point gets this number of 300 searches.
SHARES = {
    "hybrid_search": 43,
    "search_json": 34,
    "full_text_search": 22,
    "semantic_search": 16,
    "logged_search": 14,
    "recall": 16,
    "recall_json": 14,
    "logged_recall": 5,
    "multi_search": 14,
    "logged_multi_search": 5,
    "explain_search": 16,
    "assemble_context": 10,
    "conversation_timeline": 12,
    "facets": 10,
    "similar_chunks": 9,
    "similar_documents": 9,
    "arrange_results": 10,
    "highlight": 6,
    "explain_score": 5,
    "embedded_text": 4,
    "extract_timeframe": 4,
    "parse_timeframe": 4,
    "evaluate": 4,
    "ranking_features": 3,
    "pool_results": 3,
    "plan_tuning": 2,
    "tune": 1,
    "get_document": 3,
    "list_documents": 2,
}
HYBRID = {
    "hybrid_search",
    "search_json",
    "logged_search",
    "explain_search",
    "assemble_context",
    "recall",
    "recall_json",
}
HYBRID |= {"logged_recall", "multi_search", "logged_multi_search"}
RECALL = ("recall", "recall_json", "logged_recall", "conversation_timeline")
# Functions refuse these options, or have no use for them.
ONLY = {
    "similar_chunks": {"exact", "ef_search", "semantic_min_score", "collapse", "group_by", "context_before", "snippet"},
    "similar_documents": {"exact", "ef_search", "semantic_min_score", "snippet"},
    "arrange_results": {"collapse", "group_by", "group_size", "group_score", "diversify", "context_before"}
    | {"context_after", "cursor", "snippet"},
    "facets": {"language", "operators", "typos"},
    "embedded_text": {"language", "operators"},
    "highlight": set[str](),
    "multi_search": {"collapse", "group_by", "group_size", "group_score", "diversify", "context_after", "boosts"}
    | {
        "exact",
        "ranking",
        "rank_by",
        "neighbour_weight",
        "min_relevance",
        "statistics_scope",
        "language",
        "ranking_model",
    },
}
ONLY["logged_multi_search"] = ONLY["multi_search"]
LEGS = {"sparse", "sparse_weight", "sparse_min_score", "normalisation", "saturate_at", "smoothing"}
VECTORS = {"exact", "ef_search", "semantic_min_score", "embedding_model", "prefilter"}
# Options are dealt by short names, which stand for these paths.
OPTIONS = {
    name: name
    for name in re.findall(
        r"\w+",
        """language operators typos embedding_model prefilter min_relevance ranking explain exact ef_search sparse
        boosts profile rank_by ranking_model late_interaction collapse group_by diversify cursor snippet""",
    )
}
OPTIONS |= {
    name: f"ranking.{name}"
    for name in ("normalisation", "saturate_at", "smoothing", "neighbour_weight", "statistics_scope", "sparse_weight")
}
OPTIONS |= {f"{leg}_min_score": f"min_scores.{leg}" for leg in ("full_text", "semantic", "sparse")}
OPTIONS |= {"group_size": "group_by.size", "group_score": "group_by.score"}
OPTIONS |= {"context_before": "context.before", "context_after": "context.after"}
PATHS = {"options.group_by": "options.group_by.key"}
PATHS |= {f"options.{name}": f"options.{path}" for name, path in OPTIONS.items() if name != path}
OPERATORS = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$between", "$in", "$nin", "$all", "$like", "$ilike"]
OPERATORS += ["$exists", "$and", "$or", "$not", "column", "path"]
GROUPS = ["document", "speaker", "category", "session", "team", "metadata.year", "importance"]
TIMEFRAMES = ["March 2025", "last month", "2024", "since 2023-05", "between March and May 2025", "last 90 days"]
TIMEFRAMES += ["2023; 2025", "Q1 2024", "[2022-01-01,2024-06-01)", "yesterday", "auto", "auto"]


@dataclass(frozen=True)
class Call:
    tenant: str
    function: str
    arguments: Arguments


class Deck:
    """Deal each value of a list equally often, in random order."""

    def __init__(self, rng: random.Random, values: Sequence[str]) -> None:
        self._rng, self._values, self._left = rng, list(values), list[str]()

    def deal(self, allowed: set[str] | None = None) -> str:
        for place, value in enumerate(self._left):
            if allowed is None or value in allowed:
                return self._left.pop(place)
        self._left += self._rng.sample(self._values, len(self._values))
        return self.deal(allowed)


class Searches:
    """Make calls. `takes` has each function's arguments, `chunk_ids` the chunks of each tenant's collections."""

    def __init__(
        self, seed: int, takes: Mapping[str, set[str]], chunk_ids: Mapping[tuple[str, str], Sequence[int]]
    ) -> None:
        self.rng = random.Random(seed)
        self.takes, self.chunk_ids = takes, chunk_ids
        self.options, self.operators = Deck(self.rng, list(OPTIONS)), Deck(self.rng, OPERATORS)
        self.collections = Deck(
            self.rng, ["articles", "papers", "talks", "notes"] * 2 + ["articles"] * 2 + ["rows", "plain"]
        )
        self.fusions = Deck(self.rng, ["convex", "dbsf", "max", "rrf"])

    def make(self, count: int) -> list[Call]:
        functions = [name for name, share in SHARES.items() for _ in range(max(1, round(share * count / 300)))]
        self.rng.shuffle(functions)
        return [self.call(function) for function in functions[:count]]

    def make_plain(self, count: int) -> list[Call]:
        """Return searches as most are: without options, filters and operators."""
        calls = []
        for _ in range(count):
            function = self.rng.choices(["hybrid_search", "full_text_search", "semantic_search"], [3, 1, 1])[0]
            collection = self.collections.deal()
            words = self.rng.choices(WORDS, k=self.rng.choice([1, 2, 4, 8]))
            made = {
                "match_count": self.rng.choice([1, 5, 10, 10, 40]),
                "query_text": " ".join(words),
                "query_embedding": embed(self.text(), COLLECTIONS[collection][0]),
                "collection": collection,
            }
            takes = self.takes[function]
            calls.append(Call("acme", function, {name: value for name, value in made.items() if name in takes}))
        return calls

    def refused(self) -> list[Call]:
        """Return a call with each input that is refused."""
        calls = []
        for name, arguments in WRONG.items():
            # The number after a name only distinguishes values of the same argument.
            takes = [function for function in SHARES if name.split()[0] in self.takes[function]]
            call = self.call(self.rng.choice(takes))
            calls.append(Call(call.tenant, call.function, call.arguments | moved(arguments, PATHS)))
        return calls

    def call(self, function: str) -> Call:
        rng = self.rng
        tenant = rng.choices(["acme", "beta", "gamma"], [7, 2, 1])[0]
        collection = self.collections.deal()
        if collection in ("rows", "plain"):
            tenant = "acme"
        if function in ("evaluate", "ranking_features", "pool_results", "plan_tuning", "tune"):
            return Call(tenant, function, self.evaluation(function))
        make = getattr(self, function, self.search)
        arguments: Arguments = make(function, tenant, collection)
        takes = self.takes[function]
        if "collection" in takes:
            arguments["collection"] = collection
        if "options" in takes and (options := self.some_options(function, collection)):
            arguments["options"] = options
            # Other fusions take no normalisation, and no sparse terms.
            if "normalisation" in options and "fusion" in takes:
                arguments["fusion"] = rng.choice(["convex", "max"])
            if "sparse" in options and arguments.get("strategy") == "prefilter":
                arguments["strategy"] = "hybrid"
        if "filters" in takes and rng.random() < 0.45:
            arguments["filters"] = self.filter()
        return Call(tenant, function, moved(arguments, PATHS))

    def search(self, function: str, tenant: str, collection: str) -> Arguments:
        rng = self.rng
        made: Arguments = {"match_count": rng.choice([1, 5, 10, 10, 10, 40])}
        text, vector = self.text(), embed(self.text(), COLLECTIONS[collection][0])
        given = rng.choices(["both", "text", "vector"], [7, 2, 1])[0]
        if function == "semantic_search":
            given = "vector"
        elif function == "full_text_search":
            given = "text"
        if function.endswith("multi_search"):
            queries: list[Any] = [self.text(), {"text": text, "embedding": vector, "weight": 1.5}]
            made["queries"] = queries[: rng.randrange(1, 3)]
        else:
            if given != "vector":
                made["topic" if function == "conversation_timeline" else "query_text"] = text
            if given != "text":
                made["query_embedding"] = vector
        if function in HYBRID and rng.random() < 0.4:
            made["fusion"] = self.fusions.deal()
            if made["fusion"] == "rrf" and rng.random() < 0.5:
                made["rrf_k"] = rng.choice([0, 59, 60.5])
        if function in HYBRID and rng.random() < 0.3:
            made |= {"full_text_weight": rng.choice([0, 0.3, 1, 2]), "semantic_weight": rng.choice([0.1, 0.5, 1])}
        if function in HYBRID and rng.random() < 0.2:
            made["candidate_count"] = rng.choice([1, 20, 200, 1000])
        if function != "semantic_search" and rng.random() < 0.25:
            made["match"] = rng.choice(["all", "75%", "50%", "any"])
        if rng.random() < 0.1:
            made["min_score"] = rng.choice([0.05, 0.3, 0.7])
        if function in RECALL:
            made["reference_time"] = NOW
            if rng.random() < 0.7:
                made["timeframe"] = rng.choice(TIMEFRAMES)
            made["strategy"] = rng.choice(["hybrid", "auto", "full_text", "semantic", "prefilter", "auto"])
            if rng.random() < 0.3:
                made["time_zone"] = "America/New_York"
            if "query_text" in made and rng.random() < 0.3:
                made["query_text"] += " in March 2025"
        if function == "conversation_timeline":
            made |= {"context_before": rng.randrange(3), "context_after": rng.randrange(3)}
            if rng.random() < 0.4:
                made["conversation_key"] = rng.choice(["session", "speaker"])
        if function == "assemble_context":
            made |= {"token_budget": rng.choice([60, 500, 2000]), "sort": rng.choice(["score", "document"])}
        if function == "explain_search" and rng.random() < 0.7:
            made["external_id"] = f"d{rng.randrange(250):04}"
        return made

    def facets(self, _: str, tenant: str, collection: str) -> Arguments:
        made: Arguments = {"keys": self.rng.sample(["speaker", "category", "team", "year", "more.items.sku"], 2)}
        if self.rng.random() < 0.7:
            made["query_text"] = self.text()
        return made | {"value_count": self.rng.choice([3, 10])}

    def similar_chunks(self, _: str, tenant: str, collection: str) -> Arguments:
        return {"chunk_id": self.chunk_id(tenant, collection), "match_count": self.rng.choice([3, 10])}

    def similar_documents(self, _: str, tenant: str, collection: str) -> Arguments:
        return {"external_id": self.external_id(), "match_count": self.rng.choice([3, 10])}

    def arrange_results(self, _: str, tenant: str, collection: str) -> Arguments:
        ids = list(dict.fromkeys(self.chunk_id(tenant, collection) for _ in range(20)))
        return {"chunk_ids": ids, "scores": [round(self.rng.random(), 3) for _ in ids]}

    def highlight(self, _: str, tenant: str, collection: str) -> Arguments:
        made: Arguments = {"chunk_id": self.chunk_id(tenant, collection), "query_text": self.text()}
        return made | {"fragment_words": self.rng.choice([3, 30]), "fragment_count": self.rng.choice([1, 2, None])}

    def explain_score(self, _: str, tenant: str, collection: str) -> Arguments:
        ids = [self.chunk_id(tenant, collection) for _ in range(30)]
        return {"query_text": self.text(), "chunk_ids": ids, "match": self.rng.choice(["any", "all"])}

    def embedded_text(self, _: str, tenant: str, collection: str) -> Arguments:
        return {"query_text": self.text()}

    def extract_timeframe(self, _: str, tenant: str, collection: str) -> Arguments:
        when = self.rng.choice(["in March 2025", "last week", "since 03/04/2025", "prices May 2024"])
        return {"query_text": f"{self.text()} {when}", "reference_time": NOW, "time_zone": "Europe/Berlin"}

    def parse_timeframe(self, _: str, tenant: str, collection: str) -> Arguments:
        return {"timeframe": self.rng.choice(TIMEFRAMES), "reference_time": NOW}

    def get_document(self, _: str, tenant: str, collection: str) -> Arguments:
        return {"external_id": self.external_id()}

    def list_documents(self, _: str, tenant: str, collection: str) -> Arguments:
        return {"match_count": 5, "after": self.external_id()}

    def evaluation(self, function: str) -> Arguments:
        rng = self.rng
        mode = rng.choice(["hybrid", "full_text", "semantic"])
        configuration: Arguments = {"mode": mode, "collection": "articles", "options": {"exact": True}}
        if mode == "full_text":
            configuration["options"] = {"statistics_scope": "collection"}
        if function in ("plan_tuning", "tune"):
            # The configuration sets what the search space cannot vary.
            configuration["options"] = {"exact": True} if mode != "full_text" else {"operators": False}
        if function == "pool_results":
            other = {"mode": "full_text", "collection": "articles", "match": "all"}
            return {"query_set": "asked", "configurations": [configuration, other], "depth": 3, "judge": "j1"}
        made: Arguments = {"query_set": "asked", "configuration": configuration}
        if function == "evaluate":
            made["details"] = rng.random() < 0.5
        if function in ("plan_tuning", "tune"):
            made |= {"search_space": {"k1": [0.8, 1.5], "title_weight": [1, 3]}, "budget": 4, "seed": 5}
        return made

    def chunk_id(self, tenant: str, collection: str) -> int:
        return self.rng.choice(self.chunk_ids.get((tenant, collection)) or [999_999])

    def external_id(self) -> str:
        return f"d{self.rng.randrange(60):04}"

    def text(self) -> str:
        rng = self.rng
        a, b, c, d = rng.choices(ENGLISH, k=4)
        rare = rng.choice(WORDS)
        common = " ".join(rng.choices(COMMON, k=2))
        texts = [
            a,
            f"{a} {b}",
            f"{a} {b} {rare}",
            f"{a} {common} {b} {c} {d}",
            f'"{a} {common.split()[0]} {b}" {c}',
            f'"price of the contract" {c}',
            f"+{a} {b} {c}",
            f"{a} {b} -{c} {rare}",
            f"{a} OR {b} {c}",
            f"{a[:3]}* {b}",
            f"{rare[:2]}*",
            f"price review of the {a}",
            f"discount {a}",
            f'What did {rng.choice(SPEAKERS)} say about the {a} and "{b} {c}" for the {d}?',
            f"{a[:-1]}x {b}",
            common,
            " ".join(rng.choices(GERMAN, k=2)),
            " ".join(rng.sample(WORDS, 90)),
            f"docker run -it {a}",
            f"{rng.choice(SPEAKERS)} {a}",
            "price review",
            "" if rng.random() < 0.3 else "qqqq zzzz",
        ]
        return rng.choice(texts)

    def some_options(self, function: str, collection: str) -> Arguments:
        allowed = ONLY.get(function, set(OPTIONS))
        if function in ("full_text_search", "semantic_search", "conversation_timeline"):
            allowed = allowed - LEGS - (VECTORS if function == "full_text_search" else {"typos", "operators"})
        if function not in (
            "hybrid_search",
            "search_json",
            "logged_search",
            "full_text_search",
            "semantic_search",
            *ONLY,
        ):
            allowed = allowed - {"cursor"}
        if collection != "articles":
            allowed = allowed - {"late_interaction", "profile"}
        count = self.rng.choice([0, 1, 2, 2, 3, 3, 4, 5]) if allowed else 0
        made: Arguments = {}
        for _ in range(count):
            name = self.options.deal(allowed)
            made[name] = self.option(name, collection)
            # Contradicting options would be refused; refused input is made elsewhere, on purpose.
            allowed = allowed - {name} - CONTRADICTIONS.get(name, set())
            if name in NEEDS:
                made |= NEEDS[name]
            if not allowed:
                break
        return made

    def option(self, name: str, collection: str) -> Any:
        rng = self.rng
        term = {rng.choice(WORDS[:60]): 1.2, rng.choice(WORDS): 0.7}
        normalisations = ["centroid", "theoretical", "minmax", "zscore", "saturate", "none"]
        late = {"vectors": [embed(word, TOKEN_DIMENSIONS) for word in rng.choices(WORDS, k=3)], "candidates": 20}
        signals = ["similarity", "importance", "recency"]
        profiles: list[Any] = ["ana", {"name": "ana", "weight": 0.5}, {"attributes": {"category": {"faq": 1}}}]
        rankings: list[Arguments] = [
            {"k1": 0.9, "b": 0.4},
            {"fusion": "rrf", "rrf_k": 20},
            {"title_weight": 4, "smoothing": 0.3},
            {"normalisation": "theoretical", "full_text_weight": 0.3, "semantic_weight": 0.7},
            {"bm25_variant": "okapi", "neighbour_weight": 0.3, "sparse_weight": 0.5},
        ]
        boosts: list[Arguments] = [
            {"recency": {"half_life": "300 days", "origin": NOW}, "weight": 0.5},
            {"recency": {"half_life": 8e6, "origin": NOW, "function": "gaussian", "offset": "9 days"}},
            {"importance": {"function": "log"}, "mode": "additive", "weight": 0.2},
            {"attribute": "views", "function": "sqrt", "factor": 0.1, "missing": 4},
            {"attribute": "token_count", "function": "reciprocal"},
            {"filter": {"category": "faq"}, "factor": 1.5},
        ]
        values: dict[str, list[Any]] = {
            "language": ["german", "en", "de", "simple"],
            "statistics_scope": ["collection", "filter", "auto"],
            "embedding_model": ["m"],
            "full_text_min_score": [0.5, 2],
            "min_relevance": ["auto", 0.1, 0.3, 0],
            "ranking": rankings,
            "semantic_min_score": [0, 0.2],
            "ef_search": [10, 40, 400],
            "normalisation": [*normalisations, {"full_text": "minmax", "semantic": "centroid"}],
            "saturate_at": [5, 4.5455],
            "sparse": [term, term, False],
            "sparse_weight": [0, 0.2, 1.5],
            "sparse_min_score": [0.3],
            "smoothing": [0, 0.5, 1],
            "neighbour_weight": [0, 0.1, 0.3, 1],
            "boosts": [rng.sample(boosts, rng.randrange(1, 4))],
            "profile": profiles,
            "rank_by": [signals, {"similarity": 1, "recency": 0.2}],
            "ranking_model": ["trees", "words", MODELS["trees"], False],
            "late_interaction": [late, late | {"weight": 0.8, "embedding_model": "tokens"}],
            "collapse": [True, {"similarity": 0.9}],
            "group_by": GROUPS,
            "group_size": [2, 3],
            "group_score": ["max", "sum", "mean", "mixture"],
            "diversify": [True, {"lambda": 0.3}],
            "context_before": [0, 1, 2],
            "context_after": [0, 1, 3],
            "cursor": [""],
            "snippet": [True, {"fragment_count": 1, "start_tag": "[", "stop_tag": "]"}],
        }
        return rng.choice(values.get(name, [True, True, False]))

    def filter(self, depth: int = 0) -> Arguments:
        operator = self.operators.deal()
        if depth and operator in ("$and", "$or", "$not"):
            operator = "$eq"
        made = self.condition(operator)
        if self.rng.random() < 0.3 and not depth:
            made = self.filter(1) | made
        return made

    def condition(self, operator: str) -> Arguments:
        rng = self.rng
        team, year = rng.choice(["red", "blue"]), rng.randrange(2000, 2025)
        values: dict[str, list[Arguments]] = {
            "column": [
                {"speaker": "Ana"},
                {"category": "faq"},
                {"importance": None},
                {"language": "de"},
                {"occurred_at": "2023-05-11"},
            ],
            "$eq": [{"year": {"$eq": year}}, {"team": {"$eq": team}}, {"is_open": {"$eq": True}}],
            "$ne": [{"speaker": {"$ne": "Ben"}}, {"team": {"$ne": team}}],
            "$gt": [{"importance": {"$gt": 5}}, {"year": {"$gt": year}}],
            "$gte": [{"occurred_at": {"$gte": "2022-01-01"}}, {"published": {"$gte": "2018-01-01T00:00:00Z"}}],
            "$lt": [{"views": {"$lt": 500}}, {"year": {"$lt": 2020, "$gt": 2004}}],
            "$lte": [{"more.number": {"$lte": 150}}, {"occurred_at": {"$lte": "2023-06-30"}}],
            "$between": [{"year": {"$between": [2003, 2012]}}, {"importance": {"$between": [1, 6]}}],
            "$in": [
                {"speaker": {"$in": ["Ana", "Cleo"]}},
                {"external_id": {"$in": [self.external_id() for _ in range(20)]}},
                {"session": {"$in": ["s1", "s2", "s5"]}},
            ],
            "$nin": [{"category": {"$nin": ["faq"]}}, {"team": {"$nin": [team]}}],
            "$all": [{"team": {"$all": ["red", "blue"]}}],
            "$like": [{"source_uri": {"$like": "%/1%"}}, {"session": {"$like": "s_"}}],
            "$ilike": [{"speaker": {"$ilike": "%A%"}}],
            "$exists": [{"importance": {"$exists": False}}, {"nowhere": {"$exists": rng.random() < 0.5}}],
            "path": [{"more.items.sku": "k3"}, {"metadata.year": year}, {"more.items.0.price": {"$gt": 20}}],
        }
        if operator == "$not":
            return {"$not": self.filter(1)} if rng.random() < 0.5 else {"year": {"$not": {"$gt": 2010}}}
        if operator in ("$and", "$or"):
            return {operator: [self.filter(1), self.filter(1)]}
        return rng.choice(values[operator])


CONTRADICTIONS = {
    "cursor": {"diversify", "group_score"},
    "diversify": {"cursor"},
    "normalisation": {"saturate_at"},
    "saturate_at": {"normalisation"},
    "prefilter": {"sparse", "sparse_weight", "sparse_min_score"},
    "sparse": {"prefilter"},
    "sparse_weight": {"prefilter"},
    "sparse_min_score": {"prefilter"},
}
NEEDS: dict[str, Arguments] = {
    "saturate_at": {"normalisation": "saturate"},
    "group_size": {"group_by": "document"},
    "group_score": {"group_by": "document"},
    "sparse_weight": {"sparse": {"price": 1, "harbour": 0.5}},
    "sparse_min_score": {"sparse": {"price": 1, "harbour": 0.5}},
}
# Refused input, by the argument that a function must have for it.
WRONG: dict[str, Arguments] = {
    "match_count": {"match_count": 0},
    "match_count 2": {"match_count": 20_000},
    "filters": {"filters": {"year": {"$near": 3}}},
    "filters 2": {"filters": {"importance": "high"}},
    "filters 3": {"filters": {"$or": []}},
    "filters 4": {"filters": ["year"]},
    "collection": {"collection": "nowhere"},
    "collection 2": {"collection": ""},
    "match": {"match": "most"},
    "match 2": {"match": "150%"},
    "fusion": {"fusion": "borda"},
    "candidate_count": {"candidate_count": 0},
    "full_text_weight": {"full_text_weight": -1},
    "semantic_weight": {"semantic_weight": "NaN", "full_text_weight": 0},
    "min_score": {"min_score": "NaN"},
    "query_embedding": {"query_embedding": [1.0, 2.0]},
    "query_embedding 2": {"query_embedding": [0.0] * 64},
    "rrf_k": {"rrf_k": -3},
    "timeframe": {"timeframe": "whenever"},
    "time_zone": {"time_zone": "Mars/Olympus"},
    "strategy": {"strategy": "vector"},
    "sort": {"sort": "date"},
    "token_budget": {"token_budget": 0},
    "options": {"options": {"unknown_option": 1}},
    "options 2": {"options": {"exact": "yes"}},
    "options 3": {"options": {"min_relevance": 2}},
    "options 4": {"options": {"cursor": "not-a-cursor"}},
    "options 5": {"options": {"cursor": "", "diversify": True}},
    "options 6": {"options": ["exact"]},
    "options 7": {"options": {"group_by": "document", "group_size": 0}},
    "options 8": {"options": {"ranking": {"fusion": "borda"}}},
    "options 9": {"options": {"boosts": [{"recency": {}}]}},
    "options 10": {"options": {"ranking_model": "missing"}},
    "options 11": {"options": {"profile": "nobody"}},
    "options 12": {"options": {"late_interaction": {"vectors": []}}},
    "options 13": {"options": {"smoothing": 3}},
    "options 14": {"options": {"sparse": True}},
    "options 15": {"options": {"rank_by": ["beauty"]}},
    "options 16": {"options": {"embedding_model": "another"}},
    "options 17": {"options": {"ef_search": 5000}},
    "options 18": {"options": {"normalisation": "softmax"}},
    "options 19": {"options": {"snippet": {"fragment_words": 0}}},
}


def moved(arguments: Mapping[str, Any], paths: Mapping[str, str]) -> dict[str, Any]:
    """Return the arguments, with each value that has one of the paths moved to the path's new place."""
    made = copy.deepcopy(dict(arguments))
    if isinstance(configuration := made.get("configuration"), dict):
        made["configuration"] = moved(configuration, paths)
    if isinstance(configurations := made.get("configurations"), list):
        made["configurations"] = [moved(configuration, paths) for configuration in configurations]
    for path, renamed in paths.items():
        *before, last = path.split(".")
        holder = _inner(made, before)
        if isinstance(holder, dict) and last in holder:
            value = holder.pop(last)
            *behind, new_last = renamed.split(".")
            target = made
            for name in behind:
                target = target.setdefault(name, {})
            target[new_last] = value
    # A group with only a key is written as the key.
    if isinstance(group := _inner(made, ["options", "group_by"]), dict) and group.keys() == {"key"}:
        made["options"]["group_by"] = group["key"]
    return made


def _inner(value: Any, path: list[str]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
