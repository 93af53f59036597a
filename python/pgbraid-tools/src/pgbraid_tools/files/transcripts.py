"""Read transcripts: WebVTT, SRT, JSON from speech recognition, and text with a speaker before each turn.

The database splits them into chunks.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from pgbraid_tools.files.dates import date_in_name, iso_date
from pgbraid_tools.files.drafts import MOST_DOCUMENT_CHARACTERS, Draft, Input, NoText
from pgbraid_tools.files.text import read_lines

__all__ = ["Turn", "caption_drafts", "drafts_of_turns", "has_turns", "is_transcript", "transcript_drafts"]


@dataclass(frozen=True)
class Turn:
    """Hold the text said from `start` to `end`, in seconds."""

    text: str
    speaker: str | None = None
    start: float | None = None
    end: float | None = None
    position: int = 0


_CLOCK = r"(?:(\d{1,3}): ?)?(\d{1,2}): ?(\d\d)(?:[.,] ?(\d{1,3}))?"
_CUE = re.compile(rf"\s*{_CLOCK}\s*--?>\s*{_CLOCK}")
_VOICE = re.compile(r"<v(?:\.[^\s<>.]*)*\s([^<>]*)>")
# Webex names the speaker beside the number of a cue: 12 "Ana" (3456).
_CUE_VOICE = re.compile(r'\s*\d+\s+"([^"]+)"\s*\(\d+\)\s*$')
# Tags of HTML and WebVTT, and codes of SubStation Alpha that programs leave in SRT: {\an8}.
_TAG = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")
_NAME = r"[^\W\d_][\w .'’&()/-]{0,48}?"
_CLOCK_LABEL = r"[\[(]?(?:\d{1,3}:)?\d{1,2}:\d\d(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?[\])]?"
_LABELLED = re.compile(rf"\s*(?:({_CLOCK_LABEL})\s*[-–—]?\s*)?({_NAME})\s*(?:({_CLOCK_LABEL}))?\s*:\s+(\S.*)$")
# A name and a time above the spoken text, as meeting tools write them: "Ana  0:12", "[Ana] 10:01:22", "Ana | 00:12",
# "00:12 Ana". Each form has a group for the name and one for the time.
_HEADERS = tuple(
    re.compile(form)
    for form in (
        rf"\s*(?P<name>{_NAME})\s*(?:\s|[|,–—-]\s)\s*(?P<clock>{_CLOCK_LABEL})\s*:?\s*$",
        rf"\s*(?P<name>{_NAME})\s*(?P<clock>[\[(]{_CLOCK_LABEL})\s*:?\s*$",
        rf"\s*\[(?P<name>{_NAME})\]\s*(?P<clock>{_CLOCK_LABEL})\s*:?\s*$",
        rf"\s*(?P<clock>{_CLOCK_LABEL})\s*(?:[|–—-]\s*)?(?P<name>{_NAME})\s*:?\s*$",
    )
)
# The database's limit of turns for one document.
MOST_TURNS = 100_000
MOST_SECONDS = 1e9
MOST_HEADER_CHARACTERS = 120
MOST_REPEATED_WORDS = 100


def caption_drafts(file: Input) -> Iterator[Draft]:
    """Yield the documents of WebVTT and SRT."""
    cues = sorted(_cues(file), key=lambda cue: cue.start or 0)
    yield from _drafts(file, _labelled(_unrolled(cues)), {"title": file.title})


def transcript_drafts(file: Input) -> Iterator[Draft]:
    """Yield the documents of lines such as "Ana: Hello.", "[00:01:02] Ana: Hello.", or "Ana 0:12" above the spoken
    text."""
    yield from _drafts(file, list(_turns_of_lines(read_lines(file))), {"title": file.title})


def is_transcript(lines: Iterable[str], *, are_timed: bool = False) -> bool:
    """Return whether lines are a transcript with speakers.

    With two speakers or more, at least four turns, twice as many as speakers, and turns in two thirds of the lines are
    needed. With one speaker, two turns or more are needed, each with a time (`are_timed`: all lines have one).
    """
    names: dict[str, int] = {}
    turns = timed = count = 0
    for line in lines:
        if not line.strip():
            continue
        count += 1
        header = _header(line)
        found = None if header else _LABELLED.match(line)
        name = header[0] if header else _speaker(found[2]) if found else None
        if name and len(name.split()) <= 4 and name[0].isupper():
            turns += 1 + bool(header)
            timed += bool(header or are_timed or (found and (found[1] or found[3])))
            names[name] = names.get(name, 0) + 1
    if len(names) == 1:
        return timed >= 2 and timed == sum(names.values()) and turns >= 2 / 3 * count
    come_again = sum(names.values()) > len(names) >= 2
    return come_again and turns >= 4 and turns >= 2 * len(names) and turns >= 2 / 3 * count


def _header(line: str) -> tuple[str, str] | None:
    """Return the name and the time if the line holds nothing else."""
    # Most lines of prose are longer, or have no digit.
    if len(line) <= MOST_HEADER_CHARACTERS and any(character.isdigit() for character in line):
        for form in _HEADERS:
            if found := form.match(line):
                return _speaker(found["name"]), found["clock"]
    return None


def _speaker(name: str) -> str:
    """Return the speaker's name; Zoom's chats write "From Ana to Everyone"."""
    found = re.fullmatch(r"From\s+(.+?)(?:\s+to\s+.+)?", name)
    return found[1] if found else name


def has_turns(value: object) -> bool:
    """Return whether a value is {"turns": [{"start", "end", "text"}]}, or the same under "segments", as from speech
    recognition."""
    turns = _turns_of(value) if isinstance(value, Mapping) else None
    return (
        isinstance(turns, list)
        and bool(turns)
        and all(isinstance(s, Mapping) and isinstance(s.get("text"), str) for s in turns)
        and any("start" in s or "speaker" in s for s in turns)
    )


def _turns_of(value: Mapping[str, Any]) -> Any:
    return value.get("turns", value.get("segments"))


def drafts_of_turns(file: Input, value: Mapping[str, Any]) -> Iterator[Draft]:
    turns = [
        Turn(
            s["text"].strip(),
            str(s["speaker"]) if s.get("speaker") else None,
            _seconds(s.get("start")),
            _seconds(s.get("end")),
            file.size,
        )
        for s in _turns_of(value)
    ]
    document = {name: value[name] for name in ("external_id", "title", "source_uri", "category") if value.get(name)}
    if isinstance(value.get("metadata"), Mapping):
        document["metadata"] = dict(value["metadata"])
    if day := iso_date(value.get("occurred_at")):
        document["occurred_at"] = day
    yield from _drafts(file, turns, {"title": file.title, **document})


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool) else None


def _clock(hours: str | None, minutes: str, seconds: str, fraction: str | None) -> float:
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{fraction or 0}")


def _label_seconds(label: str | None) -> float | None:
    """Return the seconds of a label such as [00:01:02], 1:02 or 10:01 AM; the last is a time of day."""
    found = re.search(_CLOCK, label or "")
    if not found:
        return None
    if half := re.search(r"([ap])\.?m", label or "", re.IGNORECASE):
        hours, minutes, seconds = (found[1], found[2], found[3]) if found[1] else (found[2], found[3], "0")
        noon = "12" if half[1] in "pP" else "0"
        return _clock(str(int(hours) % 12 + int(noon)), minutes, seconds, found[4])
    return _clock(*found.groups())


def _cues(file: Input) -> Iterator[Turn]:
    start = end = None
    above = speaker = None
    texts: list[str] = []
    found = is_vtt = False
    for line, position in read_lines(file):
        is_vtt = is_vtt or (not found and line.startswith("WEBVTT"))
        if cue := _CUE.match(line):
            if start is not None:
                # The last line before a time is the number of its cue.
                _without_end(texts)
                if texts and texts[-1].isdigit() and above == texts[-1]:
                    texts.pop()
                _without_end(texts)
                yield from _voices(texts, start, end, speaker, position)
            start, end = _clock(*cue.groups()[:4]), _clock(*cue.groups()[4:])
            voice = _CUE_VOICE.match(above or "")
            speaker = voice[1] if voice else None
            texts, found = [], True
        # A line of white space is part of a cue: YouTube's rolling captions begin with one.
        elif not line.strip("\n"):
            # In SRT, a text may have empty lines; in WebVTT, notes and styles may follow an empty line.
            if start is not None and texts and is_vtt:
                yield from _voices(texts, start, end, speaker, position)
                start = None
        elif start is not None:
            texts.append(line.strip())
        above = line.strip()
    if start is not None:
        yield from _voices(texts, start, end, speaker, file.size)
    if not found:
        raise NoText("no cues: a line such as 00:00:01.000 --> 00:00:02.000 begins one")


def _without_end(lines: list[str]) -> None:
    """Remove the empty lines at the end."""
    while lines and not lines[-1]:
        lines.pop()


def _voices(lines: list[str], start: float, end: float | None, named: str | None, position: int) -> Iterator[Turn]:
    """Yield a turn for each voice of a cue; the speaker of text before the first voice is `named`."""
    parts = _VOICE.split(" ".join(lines))
    for speaker, text in zip([named, *parts[1::2]], parts[::2], strict=True):
        plain = html.unescape(_TAG.sub("", text)).strip()
        if plain:
            yield Turn(plain, html.unescape(speaker).strip() or None if speaker else None, start, end, position)


def _unrolled(cues: list[Turn]) -> list[Turn]:
    """Return cues without the words that they repeat from the cue before, if these are rolling captions.

    Live captions show a line again while the next one is typed. A cue rolls if it begins with the last words of the cue
    before and goes on. Captions are rolling if at least two cues roll, and at least half of the cues that are no mere
    repetition. A song has more than two mere repetitions for each cue that rolls.
    """
    words = [cue.text.split() for cue in cues]
    repeated = [0, *(_overlap(before, words[number]) for number, before in enumerate(words[:-1], 1))]
    rolling = sum(0 < count < len(words[number]) for number, count in enumerate(repeated))
    equal = sum(count == len(words[number]) for number, count in enumerate(repeated))
    if rolling < max(2, (len(cues) - 1 - equal) / 2, equal / 2):
        return cues
    return [
        replace(cue, text=" ".join(words[number][repeated[number] :])) if repeated[number] else cue
        for number, cue in enumerate(cues)
        if repeated[number] < len(words[number])
    ]


def _overlap(before: list[str], after: list[str]) -> int:
    """Return how many words at the end of `before` are also the first words of `after`."""
    return next(
        (
            count
            for count in range(min(len(before), len(after), MOST_REPEATED_WORDS), 0, -1)
            if before[-count] == after[0] and before[-count:] == after[:count]
        ),
        0,
    )


def _labelled(turns: list[Turn]) -> list[Turn]:
    """Return turns with speakers taken from labels such as "Ana: Hello.", if the cues have no voices but such
    labels."""
    if any(turn.speaker for turn in turns) or not is_transcript((turn.text for turn in turns), are_timed=True):
        return turns
    named = []
    speaker = None
    for turn in turns:
        found = _LABELLED.match(turn.text)
        speaker = _speaker(found[2]) if found else speaker
        text = found[4] if found else turn.text
        named.append(Turn(text, speaker, turn.start, turn.end, turn.position))
    return named


def _turns_of_lines(lines: Iterable[tuple[str, int]]) -> Iterator[Turn]:
    speaker: str | None = None
    start: float | None = None
    texts: list[str] = []
    position = 0

    def turn() -> Iterator[Turn]:
        nonlocal texts
        if texts:
            yield Turn("\n".join(texts), speaker, start, None, position)
        texts = []

    for line, reached in lines:
        if header := _header(line):
            yield from turn()
            speaker, start = header[0], _label_seconds(header[1])
        elif (found := _LABELLED.match(line)) and found[2][0].isupper():
            yield from turn()
            speaker, start = _speaker(found[2]), _label_seconds(found[1] or found[3])
            texts.append(found[4].strip())
        elif line.strip():
            texts.append(line.strip())
        position = reached
    yield from turn()


def _drafts(file: Input, turns: list[Turn], values: Mapping[str, Any]) -> Iterator[Draft]:
    """Yield documents of at most a million characters. Raise NoText."""
    day = date_in_name(file.path.name)
    document = {**({"occurred_at": day} if day else {}), **values}
    held: list[dict[str, Any]] = []
    size = number = position = 0
    for turn in _with_possible_times(turns):
        if not turn.text:
            continue
        if held and (size + len(turn.text) > MOST_DOCUMENT_CHARACTERS or len(held) == MOST_TURNS):
            number += 1
            yield _draft(held, document, number, position)
            held, size = [], 0
        told = {"speaker": turn.speaker, "start": turn.start, "end": turn.end, "text": turn.text}
        held.append({name: value for name, value in told.items() if value is not None})
        size += len(turn.text)
        position = turn.position
    if held:
        yield _draft(held, document, number + 1, position)
    elif not number:
        raise NoText("no text")


def _draft(turns: list[dict[str, Any]], values: Mapping[str, Any], number: int, position: int) -> Draft:
    return Draft({**values, "turns": turns}, None if number == 1 else f"part-{number}", position)


def _with_possible_times(turns: Iterable[Turn]) -> Iterator[Turn]:
    """Yield turns without times that run backwards, such as from a twelve-hour clock that passes noon."""
    reached = 0.0
    for turn in turns:
        start = turn.start if turn.start is not None and reached <= turn.start <= MOST_SECONDS else None
        reached = reached if start is None else start
        end = turn.end if turn.end is not None and (start or 0) <= turn.end <= MOST_SECONDS else None
        yield replace(turn, start=start, end=end)
