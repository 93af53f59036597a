"""Transcripts: WebVTT, SRT, segments of speech recognition, and text with speakers before what they say. A chunk is
what one speaker says in a row, with its start and end in seconds."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pgbraid.files.chunks import drafts_of_chunks, split, token_cost
from pgbraid.files.dates import date_in_name, iso_date
from pgbraid.files.drafts import Draft, Input, NoText
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
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)]*$")


def caption_drafts(file: Input) -> Iterator[Draft]:
    """WebVTT and SRT."""
    segments = _labelled(list(_cues(file)))
    yield from _drafts(file, segments, {"title": file.title})


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
    day = date_in_name(file.path.name)
    document = {**({"occurred_at": day} if day else {}), **values}
    budget = file.chunk_tokens - min(token_cost(str(document.get("title") or "")), file.chunk_tokens / 2)
    moment = document.get("occurred_at")
    yield from drafts_of_chunks(_chunks(segments, budget, moment), document)


def _chunks(segments: list[Segment], budget: float, moment: str | None) -> Iterator[tuple[dict[str, Any], int]]:
    """What a speaker says in a row, in chunks of at most `budget` tokens that end with a sentence if they can."""
    for run in _runs(segments):
        speaker = run[0].speaker
        room = max(budget - (token_cost(speaker) if speaker else 0), budget / 2)
        held: list[Segment] = []
        cost = 0.0
        for segment in run:
            more = token_cost(segment.text)
            enough = cost > 0.75 * room and bool(_SENTENCE_END.search(held[-1].text))
            if held and (cost + more > room or enough):
                end = len(held) if enough else _last_sentence(held)
                yield from _pieces(held[:end], speaker, room, moment)
                held = held[end:]
                cost = sum(token_cost(kept.text) for kept in held)
            held.append(segment)
            cost += more
        if held:
            yield from _pieces(held, speaker, room, moment)


def _last_sentence(held: list[Segment]) -> int:
    """How many of the segments up to the last that ends a sentence, in the latter half; else all."""
    for end in range(len(held), len(held) // 2, -1):
        if _SENTENCE_END.search(held[end - 1].text):
            return end
    return len(held)


def _runs(segments: list[Segment]) -> Iterator[list[Segment]]:
    run: list[Segment] = []
    for segment in segments:
        if run and run[-1].speaker != segment.speaker:
            yield run
            run = []
        if segment.text:
            run.append(segment)
    if run:
        yield run


def _pieces(
    held: list[Segment], speaker: str | None, room: float, moment: str | None
) -> Iterator[tuple[dict[str, Any], int]]:
    first, last = held[0], held[-1]
    for piece in split(" ".join(segment.text for segment in held), room):
        chunk: dict[str, Any] = {"content": piece.strip()}
        if speaker:
            chunk["speaker"] = speaker
        times = {name: value for name, value in (("start", first.start), ("end", last.end)) if value is not None}
        if times:
            chunk["metadata"] = times
        if moment and first.start is not None:
            chunk["occurred_at"] = (datetime.fromisoformat(moment) + timedelta(seconds=first.start)).isoformat()
        if chunk["content"]:
            yield chunk, last.position
