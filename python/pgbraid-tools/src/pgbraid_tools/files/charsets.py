"""Map the encoding names of mail and web pages to Python's codecs, and decode bytes even if their encoding is named
wrongly."""

from __future__ import annotations

import codecs
import re

__all__ = ["codec_of", "decode_bytes"]

# Names that Python does not know (https://encoding.spec.whatwg.org/#names-and-labels).
_ALIASES = {
    "iso-8859-6-e": "iso8859-6",
    "iso-8859-6-i": "iso8859-6",
    "iso-8859-8-e": "iso8859-8",
    "iso-8859-8-i": "iso8859-8",
    "ksc5601": "cp949",
    "unicode-1-1-utf-7": "utf-7",
    "unicode-1-1-utf-8": "utf-8",
    "utf8mb3": "utf-8",
    "utf8mb4": "utf-8",
    "windows-874": "cp874",
    "windows-949": "cp949",
    "x-gbk": "gb18030",
    "x-sjis": "cp932",
}
# Many programs declare the smaller encoding and write the larger one.
_SUPERSETS = {
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
}
# Python's internal codecs; files are never encoded in them.
_INTERNAL = frozenset({"idna", "punycode", "raw-unicode-escape", "unicode-escape", "undefined"})
# These encodings use ASCII bytes only, so a text in one of them is also valid UTF-8.
_SEVEN_BIT = ("iso2022", "utf-7", "hz")
# UTF-8 that was cut has few wrong sequences; a text in another encoding has hardly any correct ones.
_LEAST_CORRECT = 0.5


# Windows programs write characters that ISO-2022-JP lacks, such as circled numbers, and declare ISO-2022-JP.
_WINDOWS_JAPANESE = re.compile(rb"\x1b\$[@B]([\x21-\x7e]*)(?:\x1b\([BJ])?|\x1b\([BJ]")
_OTHER_JAPANESE = re.compile(rb"\x1b(?!\$[@B]|\([BJ])|[\x80-\xff]")


def codec_of(name: str | None) -> str | None:
    """Return Python's codec for an encoding's name; None if the name is missing, unknown or no text encoding."""
    plain = (name or "").strip().strip("\"'").lower().replace("_", "-")
    try:
        codec = codecs.lookup(_ALIASES.get(plain, plain))
    except (LookupError, ValueError):
        return None
    if not codec._is_text_encoding or codec.name in _INTERNAL:
        return None
    return _SUPERSETS.get(codec.name, codec.name)


def decode_bytes(data: bytes, name: str | None) -> str:
    """Decode `data` as the encoding `name`, else as UTF-8, else as Windows-1252; never fail."""
    codec = codec_of(name)
    if codec == "iso2022_jp" and not _OTHER_JAPANESE.search(data):
        return _WINDOWS_JAPANESE.sub(_in_cp932, data).decode("cp932", "replace")
    # Programs that name ASCII or Latin-1 often write UTF-8; Latin-1 is hardly ever correct UTF-8 by chance.
    if codec and codec not in ("cp1252", "utf-8"):
        try:
            return data.decode(codec)
        except ValueError:
            if codec.startswith(_SEVEN_BIT):
                return data.decode(codec, "replace")
    text = data.decode("utf-8", "replace")
    wrong = text.count("\ufffd")
    if wrong:
        correct = sum(character > "\x7f" for character in text) - wrong
        if correct < _LEAST_CORRECT * (correct + wrong):
            return data.decode("cp1252", "replace")
    return text


def _in_cp932(found: re.Match[bytes]) -> bytes:
    """Decode the two-byte characters of ISO-2022-JP as Windows' Shift JIS (cp932)."""
    pairs = found[1] or b""
    made = bytearray()
    for row, cell in zip(pairs[::2], pairs[1::2], strict=False):
        made.append((row + 1) // 2 + (0x70 if row < 0x5F else 0xB0))
        made.append(cell + (0x1F if cell < 0x60 else 0x20) if row % 2 else cell + 0x7E)
    return bytes(made)
