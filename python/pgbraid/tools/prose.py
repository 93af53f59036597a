"""Check that prose can be read at first sight: comments, docstrings, `comment on`, pages and commit subjects.

Find sentences of more than 30 words, and docstrings and descriptions of functions that do not begin with a verb. Find
sentences without a verb, pronouns in place of a noun, lines over 120 characters and commit subjects over 72. Run:
`prose.py [--count] [PATH ...]`; it exits with 1 if it finds anything.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from passages import Passage, passages

ROOT = Path(__file__).parents[3]
WORDS = 30
LINE = 120
SUBJECT = 72
# Older subjects stay as they are.
SUBJECTS_SINCE = "2026-11-28"
# Lines that may be wide: tables, addresses, commands, examples from headers.
WIDE = re.compile(r"^\s*\||https?://|^\[[^\]]+\]: |^\$ |^select \* from braid\.")
WIDE_FILES = re.compile(
    r"\.(?:png|gz|svg|jsonl?|parquet|lock|txt|css|html|ipynb|csv|tsv|sha256)$|/static/|/upgrade/.*\.sql"
)
POINTING = re.compile(
    r"\b(?:that|those|the ones?) of\b(?! (?:all|course)\b)"
    r"|\b(?:those|the ones?) (?:that|which|who|whose|whom|in|on|with|without|from|for|by|behind|before|after|to|at)\b"
    r"|\bso many\b|\bwhose is\b",
    re.IGNORECASE,
)
# Auxiliaries, base forms, irregular forms.
AUXILIARY, VERBS, IRREGULAR = (
    frozenset(words.split()) for words in Path(__file__).with_name("verbs.txt").read_text().split("\n\n")[1:]
)
# A sentence that begins with one of these words names no noun.
OPENINGS = re.compile(r"^(?:Of|What|Whose|Whether|Those|How|Who|As if|Not|But|Nor|Else|Lest)\b(?!.*\?$)", re.IGNORECASE)


def is_verb(word: str) -> bool:
    """Tell whether a word in lower case is a verb of the list, in any finite form."""
    stems = {word, word[:-1], word[:-2], re.sub(r"(.)\1(?:ed|ing)$", r"\1", word), re.sub(r"ie[sd]$", "y", word)}
    return word in AUXILIARY | VERBS | IRREGULAR or bool(stems & VERBS and re.search(r"(?:s|ed)$", word))


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, code spans as one word each; examples and indented lines are no prose."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)", text):
        if re.match(r"  |\s*(?:>>>|\$ |== |Example: )", paragraph):
            continue
        plain = re.sub(r"`[^`]*`", "`code`", " ".join(paragraph.split()))
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", plain)
        plain = re.sub(r"\b(?:e\.g|i\.e|cf|vs|etc)\.", lambda short: short[0].replace(".", ""), plain)
        yield from filter(None, re.split(r"(?<=[.?!])[\"')]*\s+(?=[\"'(`]?[A-Za-z+`])", plain))


def findings(passage: Passage) -> Iterator[tuple[str, str]]:
    """Yield the kind of each fault of a passage, and the words at fault."""
    is_function = (
        passage.kind == "docstring" and "Function" in passage.of and not passage.of.split()[1].startswith("test")
    )
    is_function = is_function or passage.of.startswith(("function", "procedure"))
    every = list(sentences(passage.text.removeprefix("Extension point: ")))
    for number, sentence in enumerate(every):
        words = re.findall(r"[\w'`-]+", sentence)
        if len(words) > WORDS:
            yield "long", f"{len(words)} words: {sentence}"
        if (found := POINTING.search(sentence)) is not None:
            yield "pointing", f"{found[0]}: {sentence}"
        lowered = [word.lower() for word in words]
        if number == 0 and is_function and lowered and lowered[0] not in VERBS:
            yield "verbless", sentence
        elif passage.kind == "description" and (not is_function or re.match(r"\w+(?:, \w+)*: ", sentence)):
            continue
        elif OPENINGS.match(sentence) and passage.kind != "page":
            yield "pointing", sentence
        elif passage.kind != "page" and len(words) > 1 and not any(map(is_verb, lowered)):
            yield "verbless", sentence


def files(paths: list[str]) -> list[str]:
    """Return the files of the repository under some paths, or all."""
    listed = subprocess.run(
        ["git", "ls-files", "--", *paths], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [name for name in listed if not (ROOT / name).is_symlink() and (ROOT / name).is_file()]


def report(paths: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each finding: its place, its kind and the words."""
    for name in files(paths):
        if WIDE_FILES.search(name):
            continue
        path = ROOT / name
        for passage in passages(path, name):
            for kind, words in findings(passage):
                yield f"{name}:{passage.line}", kind, words
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if len(line) > LINE and not WIDE.search(line):
                yield f"{name}:{number}", "wide", f"{len(line)} characters"
    if not paths:
        log = ["git", "log", f"--since={SUBJECTS_SINCE}", "--no-merges", "--format=%h %s"]
        for line in subprocess.run(log, cwd=ROOT, capture_output=True, text=True).stdout.splitlines():
            commit, _, subject = line.partition(" ")
            if len(subject) > SUBJECT:
                yield commit, "subject", f"{len(subject)} characters: {subject}"


def main() -> int:
    """Print the findings, or with --count their number by kind; return 1 if there are any."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--count"]
    found = list(report(arguments))
    if "--count" in sys.argv:
        for kind, count in sorted(Counter(kind for _, kind, _ in found).items()):
            print(f"{kind:10} {count}")
    else:
        for place, kind, words in found:
            print(f"{place}: {kind}: {words}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
