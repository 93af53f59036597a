"""Transcripts: WebVTT, SRT, segments of speech recognition, and text with speakers before what they say. The database
makes chunks of them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pgbraid.files.dates import date_in_name, iso_date
from pgbraid.files.drafts import MOST_DOCUMENT_CHARACTERS, Draft, Input, NoText
from pgbraid.files.text import read_lines

__all__ = ["Segment", "caption_drafts", "drafts_of_segments", "is_segments", "is_transcript", "transcript_drafts"]


@dataclass(frozen=True)
class Segment:
    """What is said from `start` to `end`, in seconds."""

    text: str
    speaker: str | None = None
    start: float | None = None
    end: float | None = None
    position: int = 0


_CLOCK = r"(?:(\d{1,3}):)?(\d{1,2}):(\d\d)(?:[.,](\d{1,3}))?"
_CUE = re.compile(rf"\s*{_CLOCK}\s*-->\s*{_CLOCK}")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)*\s+([^>]*)>")
_TAG = re.compile(r"<[^<>]*>")
_NAME = r"[^\W\d_][\w .'’&()/-]{0,48}?"
_CLOCK_LABEL = r"[\[(]?(?:\d{1,3}:)?\d{1,2}:\d\d(?:[.,]\d{1,3})?[\])]?"
_LABELLED = re.compile(rf"\s*(?:({_CLOCK_LABEL})\s*[-–—]?\s*)?({_NAME})\s*(?:({_CLOCK_LABEL}))?\s*:\s+(\S.*)$")
_HEADER = re.compile(rf"\s*({_NAME})\s+({_CLOCK_LABEL})\s*:?\s*$")
# As many as a document may have.
MOST_SEGMENTS = 100_000
MOST_SECONDS = 1e9


def caption_drafts(file: Input) -> Iterator[Draft]:
    """WebVTT and SRT."""
    cues = sorted(_cues(file), key=lambda cue: cue.start or 0)
    yield from _drafts(file, _labelled(cues), {"title": file.title})


def transcript_drafts(file: Input) -> Iterator[Draft]:
    """Lines such as "Ana: Hello.", "[00:01:02] Ana: Hello.", or "Ana 0:12" above what she says."""
    yield from _drafts(file, list(_turns(read_lines(file))), {"title": file.title})


def is_transcript(lines: Iterable[str]) -> bool:
    """Whether text is a transcript with speakers: at least four turns, of two speakers or more who come again."""
    names: dict[str, int] = {}
    turns = count = 0
    for line in lines:
        if not line.strip():
            continue
        count += 1
        header = _HEADER.match(line)
        found = _LABELLED.match(line)
        name = header[1] if header else found[2] if found else None
        if name and len(name.split()) <= 4 and name[0].isupper():
            turns += 1 + bool(header)
            names[name] = names.get(name, 0) + 1
    return turns >= 4 and len(names) >= 2 and turns >= 2 * len(names) and turns >= 2 / 3 * count


def is_segments(value: object) -> bool:
    """Whether this is a transcript as speech recognition writes it: {"segments": [{"start", "end", "text"}]}."""
    segments = value.get("segments") if isinstance(value, Mapping) else None
    return (
        isinstance(segments, list)
        and bool(segments)
        and all(isinstance(s, Mapping) and isinstance(s.get("text"), str) for s in segments)
        and any("start" in s or "speaker" in s for s in segments)
    )


def drafts_of_segments(file: Input, value: Mapping[str, Any]) -> Iterator[Draft]:
    segments = [
        Segment(
            s["text"].strip(),
            str(s["speaker"]) if s.get("speaker") else None,
            _seconds(s.get("start")),
            _seconds(s.get("end")),
            file.size,
        )
        for s in value["segments"]
    ]
    document = {name: value[name] for name in ("external_id", "title", "source_uri", "category") if value.get(name)}
    if isinstance(value.get("metadata"), Mapping):
        document["metadata"] = dict(value["metadata"])
    if day := iso_date(value.get("occurred_at")):
        document["occurred_at"] = day
    yield from _drafts(file, segments, {"title": file.title, **document})


def _seconds(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _clock(hours: str | None, minutes: str, seconds: str, fraction: str | None) -> float:
    return int(hours or 0) * 3600 + int(minutes) * 60 + int(seconds) + float(f"0.{fraction or 0}")


def _label_seconds(label: str | None) -> float | None:
    found = re.search(_CLOCK, label or "")
    return _clock(*found.groups()) if found else None


def _cues(file: Input) -> Iterator[Segment]:
    start = end = None
    texts: list[str] = []
    found = False
    for line, position in read_lines(file):
        if cue := _CUE.match(line):
            # SRT numbers its cues, and a number may stand above without a blank line.
            start, end = _clock(*cue.groups()[:4]), _clock(*cue.groups()[4:])
            texts, found = [], True
        elif not line.strip():
            if start is not None:
                yield from _voices(texts, start, end, position)
            start = None
        elif start is not None:
            texts.append(line.strip())
    if start is not None:
        yield from _voices(texts, start, end, file.size)
    if not found:
        raise NoText("no cues: a line such as 00:00:01.000 --> 00:00:02.000 begins one")


def _voices(lines: list[str], start: float, end: float | None, position: int) -> Iterator[Segment]:
    """What is said in a cue, by one voice or several."""
    parts = _VOICE.split(" ".join(lines))
    for speaker, text in zip([None, *parts[1::2]], parts[::2], strict=True):
        plain = html.unescape(_TAG.sub("", text)).strip()
        if plain:
            yield Segment(plain, speaker.strip() if speaker else None, start, end, position)


def _labelled(segments: list[Segment]) -> list[Segment]:
    """With speakers taken from the text, as in "Ana: Hello.", if cues have no voices but such labels."""
    if any(segment.speaker for segment in segments) or not is_transcript(segment.text for segment in segments):
        return segments
    named = []
    speaker = None
    for segment in segments:
        found = _LABELLED.match(segment.text)
        speaker = found[2] if found else speaker
        text = found[4] if found else segment.text
        named.append(Segment(text, speaker, segment.start, segment.end, segment.position))
    return named


def _turns(lines: Iterable[tuple[str, int]]) -> Iterator[Segment]:
    speaker: str | None = None
    start: float | None = None
    texts: list[str] = []
    position = 0

    def turn() -> Iterator[Segment]:
        nonlocal texts
        if texts:
            yield Segment("\n".join(texts), speaker, start, None, position)
        texts = []

    for line, reached in lines:
        if header := _HEADER.match(line):
            yield from turn()
            speaker, start = header[1], _label_seconds(header[2])
        elif (found := _LABELLED.match(line)) and found[2][0].isupper():
            yield from turn()
            speaker, start = found[2], _label_seconds(found[1] or found[3])
            texts.append(found[4].strip())
        elif line.strip():
            texts.append(line.strip())
        position = reached
    yield from turn()


def _drafts(file: Input, segments: list[Segment], values: Mapping[str, Any]) -> Iterator[Draft]:
    """Documents of at most a million characters. Raises NoText."""
    day = date_in_name(file.path.name)
    document = {**({"occurred_at": day} if day else {}), **values}
    held: list[dict[str, Any]] = []
    size = number = position = 0
    for segment in _with_possible_times(segments):
        if not segment.text:
            continue
        if held and (size + len(segment.text) > MOST_DOCUMENT_CHARACTERS or len(held) == MOST_SEGMENTS):
            number += 1
            yield _draft(held, document, number, position)
            held, size = [], 0
        told = {"speaker": segment.speaker, "start": segment.start, "end": segment.end, "text": segment.text}
        held.append({name: value for name, value in told.items() if value is not None})
        size += len(segment.text)
        position = segment.position
    if held:
        yield _draft(held, document, number + 1, position)
    elif not number:
        raise NoText("no text")


def _draft(segments: list[dict[str, Any]], values: Mapping[str, Any], number: int, position: int) -> Draft:
    return Draft({**values, "segments": segments}, None if number == 1 else f"part-{number}", position)


def _with_possible_times(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Without times that go back, such as those of a clock that begins anew at noon."""
    reached = 0.0
    for segment in segments:
        start = segment.start if segment.start is not None and reached <= segment.start <= MOST_SECONDS else None
        reached = reached if start is None else start
        end = segment.end if segment.end is not None and (start or 0) <= segment.end <= MOST_SECONDS else None
        yield replace(segment, start=start, end=end)
