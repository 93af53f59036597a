"""Define the compared searches: arguments of braid.hybrid_search, by name."""

from __future__ import annotations

from typing import Any

Arguments = dict[str, Any]
# Users get the query language unless they turn it off.
PLAIN: Arguments = {}
LEGS = ("full text", "semantic")


def convex(full_text: str, semantic: str, weight: float) -> Arguments:
    return {
        "fusion": "convex",
        "full_text_weight": weight,
        "semantic_weight": 1 - weight,
        "options": {**PLAIN, "ranking": {"normalisation": {"full_text": full_text, "semantic": semantic}}},
    }


CONFIGURATIONS: dict[str, Arguments] = {
    "full text": {"semantic_weight": 0.0, "options": PLAIN},
    "semantic": {"full_text_weight": 0.0, "options": PLAIN},
    "default": {"options": PLAIN},
    "rrf, k 60": {"fusion": "rrf", "rrf_k": 60, "full_text_weight": 1, "semantic_weight": 1, "options": PLAIN},
    "rrf, k 10": {"fusion": "rrf", "rrf_k": 10, "full_text_weight": 1, "semantic_weight": 1, "options": PLAIN},
    "dbsf": {"fusion": "dbsf", "full_text_weight": 1, "semantic_weight": 1, "options": PLAIN},
    "max, theoretical": {
        "fusion": "max",
        "full_text_weight": 1,
        "semantic_weight": 1,
        "options": {**PLAIN, "ranking": {"normalisation": "theoretical"}},
    },
    "convex, minmax, .5": convex("minmax", "minmax", 0.5),
    "convex, zscore, .6": convex("zscore", "zscore", 0.6),
    "convex, theoretical, .4": convex("theoretical", "theoretical", 0.4),
    "convex, theoretical + centroid, .6": convex("theoretical", "centroid", 0.6),
    "convex, saturate + centroid, .6": convex("saturate", "centroid", 0.6),
}
# These options of the default are worth a test.
VARIANTS: dict[str, dict[str, Any]] = {"statistics_scope collection": {"ranking": {"statistics_scope": "collection"}}}
