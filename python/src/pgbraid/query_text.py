"""The query language, as far as clients know it: what of a query is embedded."""

from __future__ import annotations

import re

__all__ = ["embedded_text", "plain_words"]

# What braid_store.white_space, quotation_marks and parse_query list: the last tells what is more than punctuation.
_SPACES_AND_QUOTES = dict.fromkeys(
    map(
        ord,
        "\t\n\x0b\f\r\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
        "\u2028\u2029\u202f\u205f\u3000",
    ),
    " ",
) | dict.fromkeys(map(ord, "\u201c\u201d\u201e"), '"')
_CLAUSE = re.compile(r'([+-]*)(?:"([^"]*)"|([^" ]+))')
_WORD = re.compile(
    r"[^\x01-/:-@\[-`{-\xa9\xab-\xb1\xb4\xb6-\xb8\xbb\xbf\u2010-\u205e\u3001-\u3003\u3008-\u301f\uff01-\uff0f"
    r"\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]"
)

_QUESTION_MARKS = ("?", "\uff1f")
_SENTENCE_ENDS = (*_QUESTION_MARKS, ".", "!", "\u3002", "\uff01")


def embedded_text(query: str) -> str:
    """What a query asks for in words, without its operators: clauses in their order, excluded words and phrases
    left out. The clauses are those of braid_store.parse_query, which documents the language."""
    text = query.translate(_SPACES_AND_QUOTES)
    if text.count('"') % 2:
        start, _, end = text.rpartition('"')
        text = f"{start}\u201d{end}"
    clauses = []
    for signs, phrase, word in _CLAUSE.findall(text):
        content = (phrase or word).replace("\u201d", " ").strip(" ")
        if _WORD.search(content):
            clauses.append((signs, bool(word), content))
    has_plain_signs = _is_prose(text, clauses)
    wanted = []
    for signs, is_word, content in clauses:
        if (signs == "-" and not has_plain_signs) or (not signs and is_word and content == "OR"):
            continue
        wanted.append(content.rstrip("* ") if is_word else content)
    return " ".join(wanted)


def plain_words(text: str) -> str:
    """A text without what the query language would take as operators."""
    words = (word.lstrip("+-").rstrip("*") for word in text.translate(_SPACES_AND_QUOTES).replace('"', " ").split())
    return " ".join("or" if word == "OR" else word for word in words if word)


def _is_prose(text: str, clauses: list[tuple[str, bool, str]]) -> bool:
    """Whether the signs before words are text, as braid_store.parse_query decides it."""
    plain_count = 0
    has_excluded_words = False
    for signs, is_word, content in clauses:
        if signs in ("+", "-"):
            if not is_word or content.endswith("*"):
                return False
            if content[0] not in "0123456789":
                if signs == "+":
                    return False
                has_excluded_words = True
        elif is_word:
            if content.endswith("*") or (not signs and content == "OR"):
                return False
            plain_count += 1
    last = text.rstrip('" \u201d')[-1:]
    if has_excluded_words and (plain_count < 5 or last not in _SENTENCE_ENDS):
        return False
    return plain_count >= (1 if last in _QUESTION_MARKS else 5)
