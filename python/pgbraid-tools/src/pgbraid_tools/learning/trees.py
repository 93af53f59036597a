"""Fit regression trees on top of a weighted sum, with LightGBM's LambdaMART (Burges 2010)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pgbraid.errors import MissingExtraError
from pgbraid_tools.learning.linear import Linear
from pgbraid_tools.learning.queries import JudgedQuery

if TYPE_CHECKING:
    from pgbraid_tools.learning.ranking_models import Tree

__all__ = ["fit_trees"]

# Small trees, because a search evaluates all of them for each of some hundred candidates.
ROUNDS = 60
SETTINGS: dict[str, Any] = {
    "objective": "lambdarank",
    "learning_rate": 0.05,
    "num_leaves": 8,
    "min_data_in_leaf": 50,
    "lambda_l2": 1.0,
    "feature_fraction": 0.8,
    "lambdarank_truncation_level": 20,
    # Missing values need no rule of their own, because SQL only compares numbers.
    "use_missing": False,
    # These settings give the same trees on each run.
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}


def fit_trees(queries: Sequence[JudgedQuery], base: Linear, seed: int) -> list[Tree]:
    """Return trees that improve the order given by `base`."""
    try:
        import lightgbm
    except (ImportError, OSError) as error:
        raise MissingExtraError(
            f"trees need LightGBM, which cannot be loaded: {error}",
            hint="pip install 'pgbraid[learn]', on Linux also the package libgomp1, or learn a linear model",
        ) from error

    features = np.concatenate([query.features for query in queries])
    grades = np.concatenate([query.grades for query in queries])
    # LightGBM takes labels from 0 to 30; grades may be any numbers.
    steps = np.unique(np.concatenate([[0], grades]))
    labels = np.searchsorted(steps, grades)
    if len(steps) > 31:
        steps, labels = np.arange(31), np.ceil(30 * grades / grades.max()).astype(np.int64)
    data = lightgbm.Dataset(
        features,
        labels,
        group=[len(query.units) for query in queries],
        init_score=base.sums(features),
        free_raw_data=False,
    )
    booster = lightgbm.train(
        # pgbraid's nDCG takes grades as gains; LightGBM's default gains are exponential.
        {**SETTINGS, "label_gain": [float(step) for step in steps], "seed": seed},
        data,
        num_boost_round=ROUNDS,
    )
    return [_flatten(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]


def _flatten(structure: dict[str, Any]) -> Tree:
    """Flatten LightGBM's nested tree into arrays: a child of at least 0 is a node, a child below 0 is the leaf
    -child - 1."""
    tree: Tree = {"feature": [], "threshold": [], "left": [], "right": [], "value": []}

    def add(node: dict[str, Any]) -> int:
        if "split_feature" not in node:
            tree["value"].append(float(node["leaf_value"]))
            return -len(tree["value"])
        assert node["decision_type"] == "<=", node
        place = len(tree["feature"])
        tree["feature"].append(int(node["split_feature"]))
        tree["threshold"].append(float(node["threshold"]))
        tree["left"].append(0)
        tree["right"].append(0)
        tree["left"][place] = add(node["left_child"])
        tree["right"][place] = add(node["right_child"])
        return place

    add(structure)
    return tree
