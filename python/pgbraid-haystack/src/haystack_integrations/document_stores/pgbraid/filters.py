"""Translate Haystack's filters to filters of pgbraid."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from haystack.errors import FilterError

from pgbraid_stores.records import metadata_key

__all__ = ["translated"]

COMPARISONS = {"==": "$eq", "!=": "$ne", ">": "$gt", ">=": "$gte", "<": "$lt", "<=": "$lte"}
ORDERED = (">", ">=", "<", "<=")
LISTS = {"in": "$in", "not in": "$nin"}
LOGIC = ("AND", "OR", "NOT")
# These fields of a document are not metadata, and filters cannot access them.
CONTENTS = ("content", "blob", "score", "embedding", "sparse_embedding")


def translated(filters: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return Haystack's filters as a filter of pgbraid, or None for no filter. Raise FilterError for a filter that
    is malformed or that pgbraid cannot express."""
    return _condition(filters) if filters else None


def _condition(condition: Any) -> dict[str, Any]:
    if not isinstance(condition, Mapping):
        raise FilterError(f"a filter is a dictionary, not {condition!r}")
    for key in ("operator", "value") if "field" in condition else ("operator", "conditions"):
        if key not in condition:
            raise FilterError(f"{key!r} is missing in {condition}")
    if "field" in condition:
        return _comparison(condition["field"], condition["operator"], condition["value"])
    operator, conditions = condition["operator"], condition["conditions"]
    if operator not in LOGIC:
        raise FilterError(f"the operator {operator!r} joins no conditions: use one of {', '.join(LOGIC)}")
    if not isinstance(conditions, list) or not conditions:
        raise FilterError(f"'conditions' of {operator} is no list of conditions: {conditions!r}")
    parts = [_condition(part) for part in conditions]
    if operator == "NOT":
        return {"$not": {"$and": parts}}
    return {"$and" if operator == "AND" else "$or": parts}


def _comparison(field: str, operator: str, value: Any) -> dict[str, Any]:
    key = _key(field)
    if operator in LISTS:
        if not isinstance(value, list):
            raise FilterError(f"the operator {operator!r} of {field} needs a list, not {value!r}")
        some = {key: {LISTS[operator]: [_plain(field, one) for one in value if one is not None]}}
        if None not in value:
            return some
        absent = {key: {"$exists": operator == "not in"}}
        return {"$or": [some, absent]} if operator == "in" else {"$and": [some, absent]}
    if operator not in COMPARISONS:
        known = ", ".join([*COMPARISONS, *LISTS])
        raise FilterError(f"the operator {operator!r} of {field} cannot be expressed: use one of {known}")
    if value is None:
        # A missing value is never greater or less than another.
        return {key: {"$in": []}} if operator in ORDERED else {key: {"$exists": operator == "!="}}
    if operator in ORDERED and isinstance(value, str) and not _is_time(value):
        raise FilterError(f"the operator {operator!r} of {field} compares numbers and ISO dates, not {value!r}")
    return {key: {COMPARISONS[operator]: _plain(field, value)}}


def _key(field: str) -> str:
    if field == "id":
        return "external_id"
    if field in CONTENTS:
        raise FilterError(f"{field} cannot be filtered by: use metadata, as in 'meta.{field}'")
    key = field.removeprefix("meta.")
    # Without the prefix, the key means a column, for documents that other programs wrote.
    return key if key == field else metadata_key(key)


def _plain(field: str, value: Any) -> Any:
    if isinstance(value, (list, tuple, set, dict)):
        raise FilterError(f"{field} cannot be compared with {value!r}: use 'in' and a list")
    return value.isoformat() if isinstance(value, date) else value


def _is_time(value: str) -> bool:
    try:
        return bool(datetime.fromisoformat(value.replace("Z", "+00:00")))
    except ValueError:
        return False
