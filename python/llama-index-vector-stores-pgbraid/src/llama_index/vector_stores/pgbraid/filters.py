"""Translate LlamaIndex's filters to filters of pgbraid."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from pgbraid.errors import InvalidArgumentError
from pgbraid_stores.records import fits_column, metadata_key

__all__ = ["REF_DOC_ID", "is_always", "translated"]

# A node stores the id of its document here; LlamaIndex' filters name it by one of these keys.
REF_DOC_ID = "_llamaindex.ref_doc_id"
REF_DOC_KEYS = ("ref_doc_id", "doc_id", "document_id")
# The metadata key under which the names of keys with an empty list or text are stored, because filters cannot compare
# with an empty list.
EMPTY_KEYS = "_llamaindex.empty"
PATTERN_SIGNS = re.compile(r"[\\%_]")
WITH_BACKSLASH = r"\\\g<0>"


def _all(key: str, value: Any) -> dict[str, Any]:
    # Every list contains all elements of an empty list.
    return {"$and": [{key: one} for one in value]} if value else {key: {"$exists": True}}


def _empty(key: str, _: Any) -> dict[str, Any]:
    absent = {key: {"$exists": False}}
    return {"$or": [absent, {EMPTY_KEYS: key.removeprefix("metadata.")}]}


def _simple(operator: str) -> Callable[[str, Any], dict[str, Any]]:
    return lambda key, value: {key: {operator: value}}


def _match(operator: str) -> Callable[[str, Any], dict[str, Any]]:
    """Return a function that makes filters for texts containing a part."""
    return lambda key, value: {key: {operator: f"%{PATTERN_SIGNS.sub(WITH_BACKSLASH, value)}%"}}


OPERATORS: Mapping[FilterOperator, Callable[[str, Any], dict[str, Any]]] = {
    FilterOperator.EQ: _simple("$eq"),
    FilterOperator.NE: _simple("$ne"),
    FilterOperator.GT: _simple("$gt"),
    FilterOperator.GTE: _simple("$gte"),
    FilterOperator.LT: _simple("$lt"),
    FilterOperator.LTE: _simple("$lte"),
    FilterOperator.IN: _simple("$in"),
    FilterOperator.NIN: _simple("$nin"),
    # A list matches if one of its elements does.
    FilterOperator.ANY: _simple("$in"),
    FilterOperator.ALL: _all,
    FilterOperator.CONTAINS: _simple("$eq"),
    FilterOperator.IS_EMPTY: _empty,
    FilterOperator.TEXT_MATCH: _match("$like"),
    FilterOperator.TEXT_MATCH_INSENSITIVE: _match("$ilike"),
}
TEXT_MATCHES = (FilterOperator.TEXT_MATCH, FilterOperator.TEXT_MATCH_INSENSITIVE)
LISTS = (FilterOperator.IN, FilterOperator.NIN, FilterOperator.ANY, FilterOperator.ALL)


def translated(filters: MetadataFilters | Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return LlamaIndex's filters as a filter of pgbraid, or None for no filter. Raise InvalidArgumentError for a
    filter that pgbraid cannot express."""
    if filters is None:
        return None
    if not isinstance(filters, MetadataFilters):
        return dict(filters) or None
    parts = [part for one in filters.filters if (part := _part(one)) is not None]
    if not parts:
        return None
    if filters.condition == FilterCondition.OR:
        return {"$or": parts}
    if filters.condition == FilterCondition.NOT:
        return {"$not": {"$or": parts}}
    return {"$and": parts}


def _part(one: MetadataFilter | MetadataFilters) -> dict[str, Any] | None:
    if isinstance(one, MetadataFilters):
        return translated(one)
    if one.operator not in OPERATORS:
        raise InvalidArgumentError(
            f'filters: the operator "{one.operator.value}" of key "{one.key}" cannot be expressed',
            hint=f"use one of {', '.join(known.value for known in OPERATORS)}",
        )
    if one.operator in TEXT_MATCHES and not isinstance(one.value, str):
        raise InvalidArgumentError(
            f'filters: the operator "{one.operator.value}" of key "{one.key}" needs a text, not {one.value!r}',
            hint="give one",
        )
    key = REF_DOC_ID if one.key in REF_DOC_KEYS else one.key
    if one.operator in LISTS and not isinstance(one.value, list):
        raise InvalidArgumentError(
            f'filters: the operator "{one.operator.value}" of key "{one.key}" needs a list, not {one.value!r}',
            hint="give one",
        )
    translate = OPERATORS[one.operator]
    named = metadata_key(key)
    if named == key:
        return translate(key, one.value)
    # Documents written by other programs have the value in the column.
    values = one.value if isinstance(one.value, list) else [one.value]
    has_text = key not in ("importance", "occurred_at")
    if (one.operator in TEXT_MATCHES and not has_text) or not all(
        value is None or fits_column(key, value) for value in values
    ):
        return translate(named, one.value)
    parts = (True, translate(named, one.value)), (False, translate(key, one.value))
    return {"$or": [{"$and": [{REF_DOC_ID.partition(".")[0]: {"$exists": own}}, part]} for own, part in parts]}


def is_always(filters: MetadataFilter | MetadataFilters) -> bool | None:
    """Return True if a filter keeps every node that has its keys, False if it keeps none, and None if it depends on
    the node."""
    if isinstance(filters, MetadataFilter):
        if filters.value != [] or filters.operator not in LISTS:
            return None
        return filters.operator in (FilterOperator.NIN, FilterOperator.ALL)
    parts = [is_always(part) for part in filters.filters]
    if filters.condition in (FilterCondition.OR, FilterCondition.NOT) and parts:
        some = True if True in parts else None if None in parts else False
        return some if some is None or filters.condition == FilterCondition.OR else not some
    return False if False in parts else None if None in parts else True
