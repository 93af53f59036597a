"""Evaluate filters as docs/reference/filters.md defines them, independently of the SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta, timezone
from typing import Any

__all__ = ["COLUMNS", "matches"]

Json = Any
COLUMNS = {"speaker", "category", "language", "importance", "occurred_at", "external_id", "source_uri"}
SIGNS = {"$gt", "$gte", "$lt", "$lte"}


def matches(document: dict[str, Json], filters: dict[str, Json]) -> bool:
    """Return whether a document of one chunk matches a filter. A chunk made from turns lists its speakers in
    `speakers`. The session's time zone is UTC."""
    return all(_holds(document, key, operand) for key, operand in filters.items())


def _holds(document: dict[str, Json], key: str, operand: Json) -> bool:
    if key == "$and":
        return all(matches(document, member) for member in operand)
    if key == "$or":
        return any(matches(document, member) for member in operand)
    if key == "$not":
        return not matches(document, operand)
    found = _found(document, key)
    if not isinstance(operand, dict):
        return _meets(found, "$eq", operand)
    bounds = {operator: bound for operator, bound in operand.items() if operator in SIGNS}
    rest = {operator: value for operator, value in operand.items() if operator not in SIGNS}
    if bounds and not any(_within(element, bounds) for element in found or []):
        return False
    return all(
        not _holds(document, key, value) if operator == "$not" else _meets(found, operator, value)
        for operator, value in rest.items()
    )


def _found(document: dict[str, Json], key: str) -> list[Json] | None:
    """Return the values that a condition on a key compares, or None if there are none."""
    if key in COLUMNS:
        value = document.get(key)
        if value is None:
            return None
        if key == "occurred_at":
            return [datetime.fromisoformat(value)]
        return [value, *document.get("speakers", [])] if key == "speaker" else [value]
    key = key.removeprefix("metadata.")
    metadata = document["metadata"]
    steps = key.split(".")
    if key in metadata:
        found = [metadata[key]]
    elif (direct := list(_direct(metadata, steps))) != []:
        found = direct
    else:
        found = list(_reached(metadata, steps))
    if all(value is None for value in found):
        return None
    return [element for value in found for element in (value if isinstance(value, list) else [value])]


def _direct(value: Json, steps: list[str]) -> Iterator[Json]:
    for step in steps:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return
    yield value


def _reached(value: Json, steps: list[str]) -> Iterator[Json]:
    if not steps:
        yield value
        return
    step, *rest = steps
    if isinstance(value, list):
        for element in value:
            if isinstance(element, dict) and step in element:
                yield from _reached(element[step], rest)
        if step.isdigit() and int(step) < len(value):
            yield from _reached(value[int(step)], rest)
    elif isinstance(value, dict) and step in value:
        yield from _reached(value[step], rest)


def _meets(found: list[Json] | None, operator: str, operand: Json) -> bool:
    if operator == "$exists":
        return (found is not None) is operand
    if operator in ("$ne", "$nin"):
        return not _meets(found, "$eq" if operator == "$ne" else "$in", operand)
    if operator == "$eq":
        return found is None if operand is None else any(_same(element, operand) for element in found or [])
    if operator == "$in":
        return any(_meets(found, "$eq", member) for member in operand)
    if operator == "$all":
        return operand != [] and all(_meets(found, "$eq", member) for member in operand)
    if operator == "$between":
        return any(_within(element, {"$gte": operand[0], "$lte": operand[1]}) for element in found or [])
    assert operator in ("$like", "$ilike")
    pattern = "".join({"%": ".*", "_": "."}.get(part, re.escape(part[-1])) for part in re.findall(r"\\.|.", operand))
    flags = re.DOTALL | (re.IGNORECASE if operator == "$ilike" else 0)
    return any(isinstance(element, str) and bool(re.fullmatch(pattern, element, flags)) for element in found or [])


def _kind(value: Json) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def _same(value: Json, operand: Json) -> bool:
    if isinstance(value, datetime):
        start, end = _span(operand)
        return start <= value < end if end > start else value == start
    return _kind(value) == _kind(operand) and bool(value == operand)


def _within(value: Json, bounds: dict[str, Json]) -> bool:
    for operator, bound in bounds.items():
        if isinstance(value, datetime):
            start, end = _span(bound)
            held = {
                "$gt": value >= end if end > start else value > start,
                "$gte": value >= start,
                "$lt": value < start,
                "$lte": value < end if end > start else value <= start,
            }
        elif _kind(value) != _kind(bound):
            return False
        else:
            held = {"$gt": value > bound, "$gte": value >= bound, "$lt": value < bound, "$lte": value <= bound}
        if not held[operator]:
            return False
    return True


def _span(text: str) -> tuple[datetime, datetime]:
    """Return the start of a day and of the next day, or a moment twice."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        day = datetime.combine(date.fromisoformat(text), datetime.min.time(), timezone.utc)
        return day, day + timedelta(days=1)
    moment = datetime.fromisoformat(text)
    return moment, moment
