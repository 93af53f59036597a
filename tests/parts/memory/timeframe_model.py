"""Compute independently what timeframes mean, with datetime and zoneinfo."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

Range = tuple[datetime | None, datetime | None]
# A meaning takes the reference time on the zone's clocks, and returns a range on them.
Meaning = Callable[[datetime], tuple[datetime | None, datetime | None]]

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
MONTHS = [name.lower() for name in calendar.month_name]
WEEKDAYS = [name.lower() for name in calendar.day_name]
NUMBERS = {"a": 1, "two": 2, "a couple of": 2, "few": 3, "a few": 3, "seven": 7, "12": 12, "45": 45}


def instant(wall: datetime | None, zone: ZoneInfo) -> datetime | None:
    """Return the first instant at which clocks show this time; a skipped time continues from before the change."""
    return None if wall is None else wall.replace(tzinfo=zone, fold=0).astimezone(timezone.utc)


def midnight(day: date) -> datetime:
    return datetime.combine(day, time())


def add_months(wall: datetime, months: int) -> datetime:
    year, month = divmod(wall.year * 12 + wall.month - 1 + months, 12)
    return wall.replace(year=year, month=month + 1, day=min(wall.day, calendar.monthrange(year, month + 1)[1]))


def start_of(unit: str, wall: datetime) -> datetime:
    day = wall.replace(hour=0, minute=0, second=0, microsecond=0)
    return {
        "day": day,
        "week": day - timedelta(days=day.weekday()),
        "weekend": day - timedelta(days=day.weekday()) + 5 * DAY,
        "month": day.replace(day=1),
        "quarter": day.replace(day=1, month=(day.month - 1) // 3 * 3 + 1),
        "year": day.replace(day=1, month=1),
    }[unit]


def shifted(unit: str, wall: datetime, count: int) -> datetime:
    if unit in ("month", "quarter", "year"):
        return add_months(wall, count * {"month": 1, "quarter": 3, "year": 12}[unit])
    return wall + count * {"day": DAY, "week": WEEK, "weekend": WEEK}[unit]


def whole(unit: str, start: datetime) -> tuple[datetime, datetime]:
    return start, start + 2 * DAY if unit == "weekend" else shifted(unit, start, 1)


def unit_away(unit: str, count: int) -> Meaning:
    """Return the calendar's day, week or month that is `count` units away."""
    return lambda now: whole(unit, start_of(unit, shifted(unit, now, count)))


def rolling(unit: str, count: int) -> Meaning:
    return lambda now: (shifted(unit, now, -count), now)


def latest(unit: str, starts: list[datetime], now: datetime) -> tuple[datetime, datetime]:
    return whole(unit, max(start for start in starts if start <= now))


def month(number: int) -> Meaning:
    return lambda now: latest("month", [datetime(year, number, 1) for year in (now.year - 1, now.year)], now)


def quarter(number: int) -> Meaning:
    return lambda now: latest("quarter", [datetime(y, number * 3 - 2, 1) for y in (now.year - 1, now.year)], now)


def day_of_year(number: int, day: int) -> Meaning:
    def meaning(now: datetime) -> tuple[datetime, datetime]:
        years = [year for year in range(now.year - 8, now.year + 1) if day <= calendar.monthrange(year, number)[1]]
        return latest("day", [datetime(year, number, day) for year in years], now)

    return meaning


def weekday(number: int) -> Meaning:
    return lambda now: whole("day", midnight(now.date() - timedelta(days=(now.weekday() - number) % 7)))


def last_weekday(number: int) -> Meaning:
    return lambda now: whole("day", midnight(now.date() - timedelta(days=(now.weekday() - number - 1) % 7 + 1)))


def fixed(start: datetime, end: datetime) -> Meaning:
    return lambda _: (start, end)


def hours_of(day: Meaning, first: int, last: int) -> Meaning:
    def meaning(now: datetime) -> tuple[datetime, datetime]:
        start = day(now)[0]
        assert start is not None
        return start + timedelta(hours=first), start + timedelta(hours=last)

    return meaning


def since(period: Meaning) -> Meaning:
    return lambda now: (period(now)[0], None)


def until(period: Meaning) -> Meaning:
    return lambda now: (None, period(now)[1])


def before(period: Meaning) -> Meaning:
    return lambda now: (None, period(now)[0])


def after(period: Meaning) -> Meaning:
    return lambda now: (period(now)[1], None)


def months_of(first: int, count: int, year: int | None = None) -> Meaning:
    """Return `count` months from the first of a month, in a year or else in the last year when they have begun."""

    def meaning(now: datetime) -> tuple[datetime, datetime]:
        years = [now.year - 1, now.year] if year is None else [year]
        starts = [datetime(y, first, 1) for y in years]
        start = max((s for s in starts if s <= now), default=starts[0])
        return start, add_months(start, count)

    return meaning


def last_season(first: int) -> Meaning:
    """Return the last such season that is over."""

    def meaning(now: datetime) -> tuple[datetime, datetime]:
        starts = [datetime(y, first, 1) for y in (now.year - 2, now.year - 1, now.year)]
        return max((s, add_months(s, 3)) for s in starts if add_months(s, 3) <= now)

    return meaning


def days_of_month(first: int, last: int | None, month: int, year: int | None = None) -> Meaning:
    def meaning(now: datetime) -> tuple[datetime, datetime]:
        years = [now.year - 1, now.year] if year is None else [year]
        begins = [datetime(y, month, first) for y in years]
        start = max((b for b in begins if b <= now), default=begins[0])
        end = add_months(start.replace(day=1), 1) if last is None else start.replace(day=last) + DAY
        return start, end

    return meaning


def written_dates() -> dict[str, Meaning]:
    """Return dates as people write them, and parts of months and years."""
    phrases: dict[str, Meaning] = {}
    for name, first in {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}.items():
        phrases[name] = months_of(first, 3)
        phrases[f"{name} 2024"] = phrases[f"the {name} of 2024"] = phrases[f"{name} '24"] = months_of(first, 3, 2024)
        phrases[f"last {name}"] = last_season(first)
    phrases["winter 2024/25"] = phrases["winter 2024-2025"] = months_of(12, 3, 2024)
    for number, words in enumerate((("early", "beginning of"), ("mid", "middle of"), ("late", "end of"))):
        for word in words:
            phrases[f"{word} 2024"] = months_of(1 + 4 * number, 4, 2024)
            phrases[f"the {word} summer 2024"] = months_of(6 + number, 1, 2024)
            phrases[f"{word} q4 2024"] = months_of(10 + number, 1, 2024)
            for place, name in enumerate(MONTHS[1:], 1):
                bounds = 1 + 10 * number, 10 * number + 10 if number < 2 else None
                phrases[f"{word} {name}"] = days_of_month(*bounds, place)
                phrases[f"{word} {name[:3]}. 2023"] = days_of_month(*bounds, place, 2023)
    phrases["mid-2024"] = months_of(5, 4, 2024)
    phrases["mid-june"] = days_of_month(11, 20, 6)
    for half, word in ((1, "first"), (2, "second")):
        phrases[f"h{half} 2024"] = phrases[f"2024-h{half}"] = months_of(half * 6 - 5, 6, 2024)
        phrases[f"the {word} half of 2024"] = months_of(half * 6 - 5, 6, 2024)
        phrases[f"h{half}"] = phrases[f"{word} half"] = months_of(half * 6 - 5, 6)
        phrases[f"{word} half of march 2024"] = days_of_month(half * 15 - 14, 15 if half == 1 else None, 3, 2024)
    for number in range(1, 5):
        for text in (f"q{number}/2024", f"2024 q{number}", f"{number}q 2024", f"q{number} '24", f"q{number}'24"):
            phrases[text] = months_of(number * 3 - 2, 3, 2024)
    phrases["the last quarter of 2024"] = months_of(10, 3, 2024)
    phrases["the 1990s"] = fixed(datetime(1990, 1, 1), datetime(2000, 1, 1))
    phrases["week 9 of 2024"] = fixed(datetime(2024, 2, 26), datetime(2024, 3, 4))
    for number, name in enumerate(MONTHS[1:], 1):
        day = days_of_month(5, 5, number, 2024)
        for text in (
            f"{name[:3]}. 5, 2024", f"{name[:3]}. 5th 2024", f"5-{name[:3]}-2024", f"the 5th of {name}, 2024",
            f"{name} the 5th 2024", f"{WEEKDAYS[datetime(2024, number, 5).weekday()]}, {name} 5, 2024",
            f"{WEEKDAYS[datetime(2024, number, 5).weekday()][:3]}. 5 {name[:3]} 2024",
        ):  # fmt: skip
            phrases[text] = day
        phrases[f"{name[:3]}-2024"] = months_of(number, 1, 2024)
        for year, text in ((None, ""), (2024, " 2024")):
            days = days_of_month(3, 17, number, year)
            forms = [
                f"3-17 {name}",
                f"{name} 3–17",
                f"{name[:3]}. 3rd to 17th",
                f"from {name} 3 to 17",
                f"3 through 17 {name}",
            ]
            forms += [f"between the 3rd and the 17th of {name}", f"between {name} 3 and 17"]
            for form in forms:
                phrases[f"{form}{text}"] = days
    return phrases


def named_periods() -> dict[str, Meaning]:
    """Return phrases that name one period."""
    phrases: dict[str, Meaning] = {
        "today": unit_away("day", 0),
        "yesterday": unit_away("day", -1),
        "tomorrow": unit_away("day", 1),
        "the day before yesterday": unit_away("day", -2),
        "this morning": hours_of(unit_away("day", 0), 6, 12),
        "yesterday afternoon": hours_of(unit_away("day", -1), 12, 18),
        "yesterday evening": hours_of(unit_away("day", -1), 18, 24),
        "last night": hours_of(unit_away("day", -1), 18, 30),
        "tonight": hours_of(unit_away("day", 0), 18, 30),
        "monday morning": hours_of(weekday(0), 6, 12),
        "a month ago": unit_away("month", -1),
        "february 29": day_of_year(2, 29),
        "29th of february": day_of_year(2, 29),
        "march 5th": day_of_year(3, 5),
        "31 december": day_of_year(12, 31),
        "earlier this month": lambda now: (
            start_of("month", now),
            max(now, start_of("month", now) + timedelta(microseconds=1)),
        ),
        "march last year": lambda now: whole("month", datetime(now.year - 1, 3, 1)),
        "march": month(3),
    }
    for unit in ("week", "weekend", "month", "quarter", "year"):
        phrases[f"last {unit}"] = unit_away(unit, -1)
        phrases[f"the previous {unit}"] = unit_away(unit, -1)
        phrases[f"this {unit}"] = unit_away(unit, 0)
        phrases[f"next {unit}"] = unit_away(unit, 1)
    for unit in ("day", "week", "month", "quarter", "year"):
        phrases[f"past {unit}"] = rolling(unit, 1)
        for word, count in NUMBERS.items():
            phrases[f"the last {word} {unit}s"] = phrases[f"past {word} {unit}"] = rolling(unit, count)
            phrases[f"{word} {unit}s ago"] = unit_away(unit, -count)
    for number, name in enumerate(MONTHS[1:], 1):
        phrases[name] = phrases[name[:3]] = month(number)
        phrases[f"{name} 2024"] = fixed(*whole("month", datetime(2024, number, 1)))
        phrases[f"{name} 2nd, 1999"] = phrases[f"2 {name} 1999"] = fixed(*whole("day", datetime(1999, number, 2)))
    for number, name in enumerate(WEEKDAYS):
        phrases[name] = weekday(number)
        phrases[f"last {name}"] = last_weekday(number)
        phrases[f"this {name}"] = lambda now, n=number: whole(  # type: ignore[misc]
            "day", start_of("week", now) + n * DAY
        )
    for number in range(1, 5):
        phrases[f"q{number}"] = quarter(number)
        phrases[f"q{number} 2024"] = phrases[f"2024-q{number}"] = fixed(
            *whole("quarter", datetime(2024, number * 3 - 2, 1))
        )
    return phrases


def iso_periods(day: date) -> dict[str, Meaning]:
    """Return a day's ISO 8601 forms."""
    year, week, number = day.isocalendar()
    monday = midnight(day) - day.weekday() * DAY
    return {
        f"{day.year:04}": fixed(*whole("year", datetime(day.year, 1, 1))),
        f"{day:%Y-%m}": fixed(*whole("month", datetime(day.year, day.month, 1))),
        f"{day:%Y-%m-%d}": fixed(*whole("day", midnight(day))),
        f"{year:04}-W{week:02}": fixed(*whole("week", monday)),
        f"{year:04}-W{week:02}-{number}": fixed(*whole("day", midnight(day))),
    }


def expected(meaning: Meaning, reference: datetime, zone: ZoneInfo) -> Range:
    """Return the range as times of UTC. A range that ends at the reference time ends at that instant, whatever
    clocks show."""
    now = reference.astimezone(zone).replace(tzinfo=None, fold=0)
    start, end = meaning(now)
    return instant(start, zone), reference if end == now else instant(end, zone)
