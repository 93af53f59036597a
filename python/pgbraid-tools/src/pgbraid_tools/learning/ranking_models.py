"""Build, check and read ranking models in the format of braid.store_ranking_model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from pgbraid.errors import InvalidArgumentError
from pgbraid_tools.learning.linear import Linear
from pgbraid_tools.learning.queries import Floats

__all__ = ["Tree", "make_ranking_model", "read_ranking_model", "sums", "write_ranking_model"]

VERSION = 1
MOST_BYTES = 500_000


class Tree(TypedDict):
    """Hold a tree as arrays. At a node, values up to the threshold go left. A child of at least 0 is a node; a child
    below 0 is the leaf -child - 1."""

    feature: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    value: list[float]


def make_ranking_model(
    mode: str, names: Sequence[str], linear: Linear, trees: Sequence[Tree], learned: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a model as JSON, with the features that it uses and its checksum."""
    used = [
        place
        for place in range(len(names))
        if linear.weights[place] != 0 or any(place in tree["feature"] for tree in trees)
    ]
    model: dict[str, Any] = {
        "version": VERSION,
        "mode": mode,
        "features": [names[place] for place in used],
        "intercept": _number(linear.intercept),
        "weights": [_number(float(linear.weights[place])) for place in used],
        "learned": dict(learned),
    }
    if trees:
        model["trees"] = [
            {
                "feature": [used.index(place) for place in tree["feature"]],
                "threshold": [_number(value) for value in tree["threshold"]],
                "left": tree["left"],
                "right": tree["right"],
                "value": [_number(value) for value in tree["value"]],
            }
            for tree in trees
        ]
    model["checksum"] = checksum(model)
    return model


def checksum(model: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the model without its checksum, serialised as PostgreSQL serialises jsonb."""
    text = _jsonb({key: value for key, value in model.items() if key != "checksum"})
    return sha256(text.encode()).hexdigest()


def _number(value: float) -> float | int:
    """Return a whole number as an integer, as any program would write it, because the checksum depends on the text."""
    return int(value) if value == int(value) and abs(value) < 1e15 else value


def _jsonb(value: Any) -> str:
    if isinstance(value, Mapping):
        keys = sorted(value, key=lambda key: (len(key.encode()), key.encode()))
        return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {_jsonb(value[key])}" for key in keys) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_jsonb, value)) + "]"
    if isinstance(value, float):
        # PostgreSQL's numeric has no -0.
        return format(Decimal(repr(value + 0.0)), "f")
    return json.dumps(value, ensure_ascii=False)


def sums(model: Mapping[str, Any], features: Floats) -> Floats:
    """Return the model's sum for each candidate; `features` has a row for each candidate, with columns in the
    model's order."""
    found = np.full(len(features), float(model.get("intercept", 0)))
    for place, weight in enumerate(model.get("weights", ())):
        found += weight * features[:, place]
    for tree in model.get("trees", ()):
        found += _leaves(tree, features)
    return found


def _leaves(tree: Mapping[str, Any], features: Floats) -> Floats:
    """Return the value of the leaf that each candidate reaches."""
    feature, threshold = np.array(tree["feature"], dtype=np.int64), np.array(tree["threshold"], dtype=np.float64)
    left, right = np.array(tree["left"], dtype=np.int64), np.array(tree["right"], dtype=np.int64)
    nodes = np.full(len(features), 0 if len(feature) else -1)
    while (on_the_way := np.flatnonzero(nodes >= 0)).size:
        at = nodes[on_the_way]
        nodes[on_the_way] = np.where(features[on_the_way, feature[at]] <= threshold[at], left[at], right[at])
    values: Floats = np.array(tree["value"], dtype=np.float64)[-nodes - 1]
    return values


def write_ranking_model(model: Mapping[str, Any], file: Path) -> None:
    file.write_text(json.dumps(model, ensure_ascii=False, allow_nan=False, indent=1) + "\n", encoding="utf-8")


def read_ranking_model(file: Path) -> dict[str, Any]:
    """Read a model from a file. The database checks the content when it stores the model.

    Raise InvalidArgumentError if the file is no JSON object, or if its checksum does not match.
    """
    if file.stat().st_size > 2 * MOST_BYTES:
        raise InvalidArgumentError(f"{file} is too large for a ranking model", hint="a model has at most 500,000 bytes")
    try:
        model = json.loads(file.read_text(encoding="utf-8-sig"), parse_constant=_refuse_constant)
    except ValueError as error:
        raise InvalidArgumentError(
            f"{file} is no JSON: {error}", hint="give the file that pgbraid learn wrote"
        ) from None
    if not isinstance(model, dict):
        raise InvalidArgumentError(f"{file} is no JSON object", hint="give the file that pgbraid learn wrote")
    if "checksum" in model and model["checksum"] != checksum(model):
        raise InvalidArgumentError(
            f"{file} was changed after it was written: its checksum differs",
            hint="learn the model anew, or take an unchanged copy",
        )
    return model


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")
