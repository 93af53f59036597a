"""What timeframes mean, written a second time with datetime and zoneinfo."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

Range = tuple[datetime | None, datetime | None]
# A range on the clocks of the time zone; the reference time on them is the argument.
Meaning = Callable[[datetime], tuple[datetime | None, datetime | None]]

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
MONTHS = [name.lower() for name in calendar.month_name]
WEEKDAYS = [name.lower() for name in calendar.day_name]
NUMBERS = {"a": 1, "two": 2, "a couple of": 2, "few": 3, "a few": 3, "seven": 7, "12": 12, "45": 45}


def instant(wall: datetime | None, zone: ZoneInfo) -> datetime | None:
    """The first time at which clocks show this; skipped ones count on from before the change."""
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
    """The calendar's day, week or month that is so many away."""
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


def named_periods() -> dict[str, Meaning]:
    """Phrases that name one period."""
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
        phrases[f"this {name}"] = lambda now, n=number: whole("day", start_of("week", now) + n * DAY)  # type: ignore[misc]
    for number in range(1, 5):
        phrases[f"q{number}"] = quarter(number)
        phrases[f"q{number} 2024"] = phrases[f"2024-q{number}"] = fixed(
            *whole("quarter", datetime(2024, number * 3 - 2, 1))
        )
    return phrases


def iso_periods(day: date) -> dict[str, Meaning]:
    """A day's ISO 8601 forms."""
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
    """The range as times of UTC. What ends at the reference time ends at that instant, whatever clocks show."""
    now = reference.astimezone(zone).replace(tzinfo=None, fold=0)
    start, end = meaning(now)
    return instant(start, zone), reference if end == now else instant(end, zone)
