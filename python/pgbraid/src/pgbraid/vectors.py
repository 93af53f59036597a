"""Convert callers' vectors to pgvector's types, which are sent in binary."""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pgvector import HalfVector, SparseVector, Vector

from pgbraid.errors import InvalidArgumentError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from psycopg.abc import AdaptContext

VectorLike: TypeAlias = "Sequence[float] | npt.NDArray[np.floating[Any]] | Vector | HalfVector | SparseVector"
# The type's oid and its array type's, by the type's name.
VectorTypes: TypeAlias = Mapping[str, Sequence[int]]
# Found by the extension, as its schema may not be in the search_path.
VECTOR_TYPES = """
select pg_catalog.json_object_agg(t.typname, array[t.oid::bigint, t.typarray::bigint])
from pg_catalog.pg_extension e
join pg_catalog.pg_type t on t.typnamespace = e.extnamespace and t.typname in ('vector', 'halfvec', 'sparsevec')
where e.extname = 'vector'
"""
MOST_FLOAT4 = 3.4028235677973366e38  # larger numbers round to infinity
MOST_DIMENSIONS = 16_000


def register_vector_types(context: AdaptContext, types: VectorTypes) -> None:
    """Make a connection, or a cursor, send and receive pgvector's types."""
    from pgvector.psycopg.halfvec import register_halfvec_info
    from pgvector.psycopg.sparsevec import register_sparsevec_info
    from pgvector.psycopg.vector import register_vector_info
    from psycopg.types import TypeInfo

    registrations: dict[str, Any] = {
        "vector": register_vector_info,
        "halfvec": register_halfvec_info,
        "sparsevec": register_sparsevec_info,
    }
    for name, (oid, array_oid) in types.items():
        registrations[name](context, TypeInfo(name, oid, array_oid))


def to_vector(vector: VectorLike, name: str) -> Vector:
    """Return a vector of float32, as pgvector stores it. Raise InvalidArgumentError for NaN, infinity, and values that
    are no vectors."""
    if _is_finite_array(vector):
        return Vector(cast("Any", vector))
    numbers = vector.tolist() if hasattr(vector, "tolist") else vector
    if isinstance(numbers, list):
        # Most vectors take this path, in C loops; elements that it cannot distinguish are checked one by one below.
        try:
            values = array("d", numbers)
        except (TypeError, OverflowError):
            values = array("d")
        if 0 < len(values) <= MOST_DIMENSIONS and math.isfinite(sum(values)) and max(map(abs, values)) < MOST_FLOAT4:
            return Vector(numbers)
    return Vector(_numbers(vector, name))


def _is_finite_array(vector: Any) -> bool:
    """Return whether a vector is a finite numpy array that `Vector` takes unchanged, which is faster than a list."""
    numpy = sys.modules.get("numpy")
    return (
        numpy is not None
        and type(vector) in (numpy.ndarray, numpy.memmap)
        and vector.dtype.kind == "f"
        and vector.ndim == 1
        and 0 < vector.size <= MOST_DIMENSIONS
        # The comparison is also false if an element is NaN.
        and float(abs(vector).max()) < MOST_FLOAT4
    )


def sparse_terms(vector: SparseVector, vocabulary: str | Sequence[str]) -> dict[str, float]:
    """Return the weighted terms of a chunk or a query, from the output of a sparse model. `vocabulary` is the model's
    list of tokens, indexed by dimension from 0; or a name, such as "splade", which names dimension 7 "splade:7".
    Weights of 0 and below are left out. Raise InvalidArgumentError for a dimension that the list lacks."""
    if not isinstance(vocabulary, str) and vector.dimensions() > len(vocabulary):
        raise InvalidArgumentError(
            f"the vector has {vector.dimensions()} dimensions, the vocabulary {len(vocabulary)} tokens",
            hint="give the vocabulary of the model that made the vector",
        )
    pairs = zip(vector.indices(), vector.values(), strict=True)
    return {
        f"{vocabulary}:{index}" if isinstance(vocabulary, str) else vocabulary[index]: float(weight)
        for index, weight in pairs
        if weight > 0
    }


def _numbers(vector: Any, name: str) -> list[float]:
    # A dense form might fill the memory.
    if isinstance(vector, SparseVector):
        _check_dimensions(vector.dimensions(), name)
    for method in ("to_list", "tolist"):  # to_list is pgvector's method, tolist is numpy's.
        if hasattr(vector, method):
            vector = getattr(vector, method)()
    # Their elements would be taken for numbers.
    if isinstance(vector, (str, bytes, bytearray, Mapping)):
        raise _no_vector(name)
    try:
        numbers = [_number(number) for number in vector]
    except (TypeError, ValueError) as error:
        raise _no_vector(name) from error
    _check_dimensions(len(numbers), name)
    if not numbers:
        raise InvalidArgumentError(f"the embedding of {name} is empty", hint="give one sequence of numbers")
    if not all(map(math.isfinite, numbers)):
        raise InvalidArgumentError(
            f"the embedding of {name} contains NaN or infinite numbers", hint="give finite numbers"
        )
    if max(map(abs, numbers)) >= MOST_FLOAT4:
        raise InvalidArgumentError(
            f"the embedding of {name} contains {max(numbers, key=abs)!r}, which no vector holds",
            hint="give numbers of single precision, at most 3.4e38",
        )
    return numbers


def _number(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # no float holds this integer
        return math.copysign(sys.float_info.max, number > 0 or -1)


def _check_dimensions(dimensions: int, name: str) -> None:
    if dimensions > MOST_DIMENSIONS:
        raise InvalidArgumentError(
            f"the embedding of {name} has {dimensions} dimensions", hint=f"give at most {MOST_DIMENSIONS}"
        )


def _no_vector(name: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"the embedding of {name} is not a vector", hint="give one sequence of numbers")
