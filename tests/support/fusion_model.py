"""Compute the fusion of two legs and boosts from their definitions, to compare with pgbraid."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Scores = Mapping[str, float]


@dataclass(frozen=True)
class Legs:
    """Hold each leg's score for every chunk, best first. Chunks without an embedding have no similarity."""

    full_text: Scores
    semantic: Scores
    mean_similarity: float | None
    lowest_similarity: float  # no similarity is lower: -1 under cosine, else 0


@dataclass
class Row:
    score: float
    full_text: float
    semantic: float
    boosts: list[dict[str, Any]] = field(default_factory=list)


def candidates(legs: Legs, candidate_count: int) -> list[str]:
    return list(dict.fromkeys([*list(legs.full_text)[:candidate_count], *list(legs.semantic)[:candidate_count]]))


def rrf(legs: Legs, weights: tuple[float, float], rrf_k: float, candidate_count: int) -> dict[str, float]:
    """Return the scores of Cormack, Clarke & Büttcher 2009 by id, with ranks from 1."""
    fused: dict[str, float] = {}
    for leg, weight in zip((legs.full_text, legs.semantic), weights, strict=True):
        for rank, name in enumerate(list(leg)[:candidate_count] if weight else [], 1):
            fused[name] = fused.get(name, 0.0) + weight / (rrf_k + rank)
    return fused


def fuse(
    legs: Legs, fusion: str, normalisations: tuple[str, str], weights: tuple[float, float], candidate_count: int
) -> dict[str, Row]:
    """Return the rows of the fusions convex, dbsf and max."""
    names = candidates(
        Legs(
            legs.full_text if weights[0] else {},
            legs.semantic if weights[1] else {},
            legs.mean_similarity,
            legs.lowest_similarity,
        ),
        candidate_count,
    )
    text = {name: legs.full_text.get(name, 0.0) for name in names}
    known = [legs.semantic[name] for name in names if name in legs.semantic]
    is_relative = fusion == "dbsf" or normalisations[1] in ("minmax", "zscore", "dbsf")
    assumed = (statistics.fmean(known) if known else 0.0) if is_relative else legs.mean_similarity or 0.0
    near = {name: legs.semantic.get(name, assumed if known else 0.0) for name in names}
    normalised = (
        normalise(text, list(text.values()) if any(text.values()) else [], normalisations[0], True, legs),
        normalise(near, known, normalisations[1], False, legs),
    )
    if fusion != "max":
        weights = (weights[0] / sum(weights), weights[1] / sum(weights))
    rows = {}
    for name in names:
        parts = [
            weight * leg[name] for weight, leg in zip(weights, normalised, strict=True) if weight or fusion != "max"
        ]
        rows[name] = Row(max(parts) if fusion == "max" else sum(parts), normalised[0][name], normalised[1][name])
    return rows


def normalise(scores: Scores, known: Sequence[float], how: str, is_text: bool, legs: Legs) -> dict[str, float]:
    if not known:
        return dict.fromkeys(scores, 0.0)
    least, most = min(known), max(known)
    flat = most - least <= 1e-9 * max(abs(least), abs(most))
    mean, deviation = statistics.fmean(known), statistics.stdev(known) if len(known) > 1 else 0.0
    if how == "minmax":
        return {name: 1.0 if flat else (score - least) / (most - least) for name, score in scores.items()}
    if how == "theoretical" or (how == "centroid" and is_text):
        lowest = 0.0 if is_text else legs.lowest_similarity
        if most - lowest <= 1e-9 * abs(lowest) or most <= lowest:
            return dict.fromkeys(scores, 0.0)
        return {name: max(0.0, (score - lowest) / (most - lowest)) for name, score in scores.items()}
    if how == "centroid":
        assert legs.mean_similarity is not None
        base = legs.mean_similarity
        if most - base <= 1e-9 * max(abs(most), abs(base)):
            if flat:
                return dict.fromkeys(scores, 1.0)
            base = least
        return {name: (score - base) / (most - base) for name, score in scores.items()}
    if how == "zscore":
        return {name: 0.0 if flat else (score - mean) / deviation for name, score in scores.items()}
    if how == "dbsf":
        return {
            name: 0.5 if flat else (score - (mean - 3 * deviation)) / (6 * deviation) for name, score in scores.items()
        }
    if how == "saturate":
        return {name: min(1.0, max(0.0, score / (10 if is_text else 1))) for name, score in scores.items()}
    assert how == "none"
    return dict(scores)


def value(boost: Mapping[str, Any], chunk: Mapping[str, Any], matches: bool) -> float | None:
    """Return the value of a boost's signal for a chunk, or None if it has no value."""
    if "filter" in boost:
        return float(boost["factor"]) if matches else None
    if "recency" in boost:
        given = boost["recency"]
        if chunk.get("occurred_at") is None:
            return None
        distance = abs((datetime.fromisoformat(given["origin"]) - chunk["occurred_at"]).total_seconds())
        half_lives = max(0.0, distance - given.get("offset", 0)) / given["half_life"]
        if given.get("function") == "gaussian":
            half_lives = half_lives**2
        return float(0.5 ** min(half_lives, 60))
    given = boost.get("importance", boost)
    number = chunk.get("importance" if "importance" in boost else boost["attribute"], given.get("missing"))
    if not isinstance(number, (int, float)) or isinstance(number, bool):
        number = given.get("missing")
    if number is None:
        return None
    scaled = float(given.get("factor", 1) * number)
    if given.get("function", "linear") == "linear":
        return scaled
    scaled = max(0.0, scaled)
    return {"log": math.log(1 + scaled), "sqrt": math.sqrt(scaled), "reciprocal": 1 / (1 + scaled)}[given["function"]]


def boosted(fused: float, boosts: Sequence[Mapping[str, Any]], values: Sequence[float | None]) -> float:
    score = max(fused, 0.0)
    for boost, found in zip(boosts, values, strict=True):
        if boost.get("mode", "multiplicative") == "multiplicative" and found is not None:
            weight = boost.get("weight", 1)
            score *= max(0.0, (1 - weight) + weight * found)
    for boost, found in zip(boosts, values, strict=True):
        if boost.get("mode") == "additive" and found is not None:
            score += boost.get("weight", 1) * found
    return score
