"""Check zip archives (DOCX, EPUB, XLSX) for decompression bombs."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import PurePosixPath

from pgbraid_tools.files.drafts import Input

__all__ = ["MOST_EXPANDED_BYTES", "check_archive", "read_member"]

MOST_EXPANDED_BYTES = 200_000_000
MOST_MEMBERS = 20_000
_PIECE = 1 << 20
_HINT = "divide the file if you trust it: files that expand this much may be made to fill the memory"


def check_archive(file: Input) -> None:
    """Raise IngestError if the archive is damaged or expands to too many bytes. The check decompresses it once,
    because the sizes that an archive declares cannot be trusted."""
    try:
        with zipfile.ZipFile(file.path) as archive:
            members = archive.infolist()
            if len(members) > MOST_MEMBERS:
                raise file.error(f"{len(members)} members, more than {MOST_MEMBERS}", hint=_HINT)
            if sum(member.file_size for member in members) > MOST_EXPANDED_BYTES:
                raise file.error(f"expands to more than {MOST_EXPANDED_BYTES} bytes", hint=_HINT)
            total = 0
            for member in members:
                if member.flag_bits & 1:
                    raise file.error("is encrypted", hint="save the file without a password")
                with archive.open(member) as content:
                    while piece := content.read(_PIECE):
                        total += len(piece)
                        if total > MOST_EXPANDED_BYTES:
                            raise file.error(f"expands to more than {MOST_EXPANDED_BYTES} bytes", hint=_HINT)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise file.error(
            f"damaged, or no {file.kind}: {error}", hint="open the file in its program, and save it again"
        ) from error


def read_member(file: Input, archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        return archive.read(str(PurePosixPath(name)))
    except KeyError as error:
        raise file.error(f"has no {name}", hint="open the file in its program, and save it again") from error
