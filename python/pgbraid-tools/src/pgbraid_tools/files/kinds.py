"""Map names of files to formats, and formats to readers."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import islice

from pgbraid_tools.files.drafts import Draft, Input

__all__ = ["KINDS", "READERS", "kind_of", "looks_like_text", "read", "reader_version"]

# The reader of each format, and its version. The version is part of the hash that detects changed files: raise it when
# a reader makes other documents of the same file.
KINDS: dict[str, tuple[str, int]] = {
    "markdown": ("markdown:markdown_drafts", 3),
    "text": ("kinds:_text_drafts", 4),
    "code": ("text:text_drafts", 2),
    "html": ("html:html_drafts", 3),
    "jsonl": ("json_files:json_line_drafts", 1),
    "json": ("json_files:json_drafts", 2),
    "csv": ("tables:csv_drafts", 3),
    "tsv": ("tables:csv_drafts", 3),
    "xlsx": ("tables:spreadsheet_drafts", 2),
    "xls": ("tables:spreadsheet_drafts", 2),
    "parquet": ("tables:parquet_drafts", 1),
    "captions": ("transcripts:caption_drafts", 4),
    "transcript": ("transcripts:transcript_drafts", 3),
    "eml": ("mail:mail_drafts", 4),
    "mbox": ("mail:mailbox_drafts", 3),
    "epub": ("epub:epub_drafts", 3),
    "docx": ("docx:docx_drafts", 3),
    "pptx": ("pptx:pptx_drafts", 1),
    "rtf": ("rtf:rtf_drafts", 1),
    "notebook": ("notebooks:notebook_drafts", 1),
    "pdf": ("pdf:pdf_drafts", 2),
}
# Alternative readers, by the formats that they read.
READERS: dict[str, dict[str, tuple[str, int]]] = {
    "docling": dict.fromkeys(("pdf", "docx", "html"), ("readers:docling_drafts", 1)),
    "trafilatura": {"html": ("readers:trafilatura_drafts", 1)},
}
_SUFFIXES = {
    "markdown": "md markdown mdown mkd mdx qmd",
    "text": "txt text rst adoc asciidoc org log tex",
    "html": "html htm xhtml",
    "jsonl": "jsonl ndjson jsonl.gz ndjson.gz",
    "json": "json",
    "csv": "csv",
    "tsv": "tsv tab",
    "xlsx": "xlsx xlsm ods",
    "xls": "xls xlsb",
    "parquet": "parquet",
    "captions": "vtt srt",
    "eml": "eml",
    "mbox": "mbox",
    "epub": "epub",
    "docx": "docx",
    "pptx": "pptx",
    "rtf": "rtf",
    "notebook": "ipynb",
    "pdf": "pdf",
    "code": "py pyi js mjs cjs jsx ts mts cts tsx vue svelte c h cc cpp cxx hh hpp hxx cs java kt kts scala groovy"
    " go rs rb php swift m mm pl pm lua r jl dart ex exs erl hrl hs ml mli fs fsx clj cljs lisp el scm zig nim v sv vhd"
    " sql sh bash zsh fish ps1 bat cmd css scss sass less proto graphql gql tf hcl nix cmake mk gradle yaml yml toml"
    " ini cfg conf properties xml xsd xsl svelte asm s f90 f95 sol vb pas d",
}
_KIND_OF_SUFFIX = {suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}
_KIND_OF_NAME = {
    **dict.fromkeys(
        ("readme", "license", "licence", "copying", "changelog", "changes", "authors", "news", "todo"), "text"
    ),
    **dict.fromkeys(("makefile", "dockerfile", "rakefile", "gemfile", "jenkinsfile", "vagrantfile"), "code"),
}


def kind_of(name: str) -> str | None:
    """Return the format of a file of this name; None if it is unknown."""
    parts = name.lower().split(".")
    if len(parts) > 2 and (kind := _KIND_OF_SUFFIX.get(".".join(parts[-2:]))):
        return kind
    return _KIND_OF_SUFFIX.get(parts[-1]) if len(parts) > 1 else _KIND_OF_NAME.get(parts[0])


def looks_like_text(start: bytes) -> bool:
    """Return whether a file without a suffix that begins with these bytes is UTF-8 text."""
    try:
        # The last character may be incomplete.
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return bool(start) and not start.translate(None, _PRINTED).translate(None, bytes(range(128, 256)))


_PRINTED = bytes([*b"\t\n\f\r\x1b", *range(32, 127)])


def read(file: Input) -> Iterator[Draft]:
    """Yield the documents of a file. Raise IngestError, MissingExtraError and NoText."""
    module, _, name = _reader(file)[0].partition(":")
    reader: Callable[[Input], Iterator[Draft]] = getattr(import_module(f"pgbraid_tools.files.{module}"), name)
    return reader(file)


def reader_version(file: Input) -> str:
    """Return everything besides a file's bytes that determines its documents."""
    name, version = _reader(file)
    decides = (file.kind, version, file.title, file.fields, file.encoding, file.chunk_tokens, file.delimiter)
    return repr(decides if name == KINDS[file.kind][0] else (*decides, name))


def _reader(file: Input) -> tuple[str, int]:
    return READERS.get(file.reader or "", {}).get(file.kind, KINDS[file.kind])


_LINES_LOOKED_AT = 60


def _text_drafts(file: Input) -> Iterator[Draft]:
    """Yield the documents of plain text, or of a transcript if the first lines look like one."""
    from pgbraid_tools.files.text import read_lines, text_drafts
    from pgbraid_tools.files.transcripts import is_transcript, transcript_drafts

    lines = [line for line, _ in islice(read_lines(file), _LINES_LOOKED_AT)]
    yield from (transcript_drafts if is_transcript(lines) else text_drafts)(file)
