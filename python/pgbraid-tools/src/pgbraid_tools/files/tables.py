"""Read tables: CSV, TSV, spreadsheets and Parquet. Each row becomes a document."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any

from pgbraid.document_batches import MOST_CONTENT_BYTES
from pgbraid_tools.files.archives import check_archive
from pgbraid_tools.files.drafts import MOST_WHOLE_BYTES, Draft, Fields, Input, NoText
from pgbraid_tools.files.library import library
from pgbraid_tools.files.records import ROWS_LOOKED_AT, draft_of_record, text_of_table
from pgbraid_tools.files.text import read_lines

__all__ = ["csv_drafts", "parquet_drafts", "spreadsheet_drafts"]

PARQUET_ROWS = 500
# Text and numbers contain commas, so on a tie another delimiter wins.
_DELIMITERS = "\t;|,"
# The first line in which Excel names the delimiter.
_SEPARATOR = re.compile(r"sep=(.)\s*$", re.IGNORECASE)
DELIMITER_LINES = 50


def csv_drafts(file: Input) -> Iterator[Draft]:
    """Yield a document for each row of CSV with a header. A first line such as sep=; names the delimiter."""
    csv.field_size_limit(MOST_CONTENT_BYTES)
    position = 0

    def lines() -> Iterator[str]:
        nonlocal position
        for line, reached in read_lines(file, MOST_CONTENT_BYTES):
            position = reached
            yield line

    source = lines()
    first = list(islice(source, DELIMITER_LINES))
    named = _SEPARATOR.match(first[0]) if first else None
    skipped = 1 if named else 0
    delimiter = file.delimiter or (named[1] if named else "\t" if file.kind == "tsv" else _delimiter(first))
    rows = csv.reader(chain(first[skipped:], source), delimiter=delimiter, strict=True)
    number = 0
    try:
        header = _names(next(rows, []))
        _check_header(file, header)
        text = text_of_table(file, header, _first_rows(file, delimiter, header, skipped))
        for number, row in enumerate(rows, 1):
            line = rows.line_num + skipped
            if not any(cell.strip() for cell in row):
                continue
            if len(row) > len(header):
                problem = file.error(f"{len(row)} cells, and the header has {len(header)}", line=line)
                yield Draft(line=line, position=position, error=problem)
                continue
            cells: dict[str, Any] = {name: cell for name, cell in zip(header, row, strict=False) if cell != ""}
            # An empty cell holds no text, but its column is not missing either.
            record = {**dict.fromkeys(_named(file.fields, header, text)), **cells}
            yield draft_of_record(record, file.fields, file, number, text=text, line=line, position=position)
    except csv.Error as error:
        line = rows.line_num + skipped
        yield Draft(line=line, position=position, error=file.error(f"not CSV: {error}", line=line))
    if not number:
        raise NoText("no rows")


def _delimiter(lines: list[str]) -> str:
    """Return the delimiter that splits the header into several cells, and most rows into an equal number of cells."""

    def fit(delimiter: str) -> tuple[float, float]:
        try:
            rows = [row for row in csv.reader(lines, delimiter=delimiter) if row]
        except csv.Error:
            return 0, 0
        cells = len(rows[0]) if rows else 0
        # The last row may continue after the lines examined.
        compared = rows[1:-1] or rows[1:]
        alike = sum(len(row) == cells for row in compared) / len(compared) if compared else 1
        return (alike, 0) if cells > 1 else (0, alike)

    return max(_DELIMITERS, key=fit)


def _first_rows(file: Input, delimiter: str, header: list[str], skipped: int) -> Iterator[dict[str, str]]:
    lines = islice((line for line, _ in read_lines(file, MOST_CONTENT_BYTES)), skipped, None)
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        yield from (dict(zip(header, row, strict=False)) for row in islice(rows, 1, None))
    except csv.Error:
        # Reading the row reports the error.
        return


def _named(fields: Fields, header: list[str], text: tuple[str, ...]) -> list[str]:
    return [
        name
        for name in header
        if name in text
        or name in vars(fields).values()
        or name in (fields.metadata or ())
        or name in ("external_id", "_id", "id")
    ]


def _names(cells: Iterable[Any]) -> list[str]:
    """Return the names of columns; a column without a name, or with another column's name, is named by its number."""
    names: dict[str, None] = {}
    for number, cell in enumerate(cells, 1):
        name = str(cell).strip() or f"column {number}"
        while name in names:
            name = f"{name} (column {number})"
        names[name] = None
    return list(names)


def _check_header(file: Input, header: list[str]) -> None:
    if not header:
        raise NoText("no rows")
    single = {name: value for name, value in vars(file.fields).items() if isinstance(value, str)}
    for name in (*file.fields.text, *single.values(), *(file.fields.metadata or ())):
        if name not in header:
            raise file.error(f"no column {name!r}", hint=f"its columns are {', '.join(map(repr, header))}")


def spreadsheet_drafts(file: Input) -> Iterator[Draft]:
    """Yield the documents of every sheet that has a column of text; the first row is the header."""
    calamine = library("python_calamine", "Excel")
    if file.kind == "xlsx":
        check_archive(file)
    elif file.size > MOST_WHOLE_BYTES:
        raise file.too_large(MOST_WHOLE_BYTES, "save it as CSV")
    try:
        book = calamine.CalamineWorkbook.from_path(str(file.path))
        sheets = [(name, book.get_sheet_by_name(name)) for name in book.sheet_names]
    except Exception as error:
        raise file.error(
            f"damaged, or no spreadsheet: {error}", hint="open the file in its program, and save it again"
        ) from error
    problem: Exception | None = None
    problems: list[str] = []
    found = False
    for name, sheet in sheets:
        rows = sheet.iter_rows()
        header = _names(next(rows, []))
        try:
            _check_header(file, header)
            first = (dict(zip(header, row, strict=False)) for row in islice(sheet.iter_rows(), 1, None))
            text = text_of_table(file, header, first)
        except NoText:
            continue
        except Exception as error:
            problem = problem or error
            problems.append(name)
            continue
        for number, row in enumerate(rows, 1):
            record = dict(zip(header, row, strict=False))
            if any(cell not in ("", None) for cell in record.values()):
                found = True
                if len(sheets) > 1 and file.fields.metadata is None:
                    record.setdefault("sheet", name)
                yield draft_of_record(
                    _without_empty(record, file.fields),
                    file.fields,
                    file,
                    number,
                    text=text,
                    table=name if len(sheets) > 1 else "",
                    line=number + 1,
                    position=file.size,
                )
    if problem and not found:
        raise problem
    if not found:
        raise NoText("no rows")
    if problems:
        listed = ", ".join(map(repr, problems[:5])) + (", …" if len(problems) > 5 else "")
        yield Draft(warning=f"no column of text in the sheets {listed}, which are left out")


def _without_empty(record: dict[str, Any], fields: Fields) -> dict[str, Any]:
    return {name: None if value == "" else value for name, value in record.items()}


def parquet_drafts(file: Input) -> Iterator[Draft]:
    parquet = library("pyarrow.parquet", "Parquet")
    arrow = library("pyarrow", "Parquet")
    try:
        with parquet.ParquetFile(file.path) as source:
            names = list(source.schema_arrow.names)
            _check_header(file, names)
            text = text_of_table(file, names, _first_records(source))
            total = source.metadata.num_rows
            if not total:
                raise NoText("no rows")
            number = 0
            for batch in source.iter_batches(batch_size=PARQUET_ROWS, use_threads=False):
                for record in batch.to_pylist():
                    number += 1
                    yield draft_of_record(
                        record,
                        file.fields,
                        file,
                        number,
                        text=text,
                        line=number,
                        position=file.size * number // total,
                    )
    except arrow.ArrowException as error:
        raise file.error(f"damaged, or no Parquet: {error}", hint="write it again") from error


def _first_records(source: Any) -> Iterator[dict[str, Any]]:
    for batch in source.iter_batches(batch_size=ROWS_LOOKED_AT, use_threads=False):
        yield from batch.to_pylist()
