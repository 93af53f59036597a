"""Walk folders in a fixed order, yield each file once, and say why other files are left out."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pgbraid.errors import InvalidArgumentError
from pgbraid_tools.files.kinds import KINDS, kind_of, looks_like_text
from pgbraid_tools.files.library import HINT, library
from pgbraid_tools.files.stored import file_id

__all__ = ["Found", "LeftOut", "Root", "Walk", "make_roots"]

LOOP = "loop of links: it leads back to itself, or to a folder that it is in"
BYTES_LOOKED_AT = 8_192


@dataclass(frozen=True)
class Root:
    """Hold a folder or file to read, and the source that its documents belong to."""

    folder: Path
    source: str
    # The name of a single file; None reads the whole folder.
    file: str | None = None
    # True if the user named the source.
    is_named: bool = False

    @property
    def prefix(self) -> str:
        """Return the prefix of the external_ids of its documents."""
        return file_id(self.source, "")


@dataclass(frozen=True)
class Found:
    """Hold a file to read; `place` is its path within the root's folder."""

    root: Root
    place: str
    kind: str
    size: int

    @property
    def path(self) -> Path:
        return self.root.folder / self.place

    @property
    def external_id(self) -> str:
        return self.root.prefix + self.place


@dataclass(frozen=True)
class LeftOut:
    """Hold a file or folder that is not read. `kind` is the reason in a few words, for counts."""

    path: Path
    kind: str
    failed: bool = False


def make_roots(paths: Sequence[Path], source: str | None) -> list[Root]:
    """Return the roots of these paths. Raise InvalidArgumentError if `source` is not a valid name."""
    if source is not None and (not source.strip() or "\0" in source or "#" in source):
        raise InvalidArgumentError(f"source is {source!r}", hint="use a name without #, such as handbook")
    roots = []
    for path in paths:
        # A link keeps its own name, not its target's, because the user knows the file by it.
        whole = path.resolve() if path.is_dir() else path.parent.resolve() / path.name
        folder = whole if path.is_dir() else whole.parent
        file = None if path.is_dir() else whole.name
        roots.append(Root(folder, source or folder.as_posix(), file, source is not None))
    return roots


@dataclass
class Walk:
    """Walk through roots. With `kind`, every file is read as that format."""

    exclude: Sequence[str] = ()
    gitignore: bool = True
    kind: str | None = None
    unreadable: list[Path] = field(default_factory=list)
    _folders: set[tuple[int, int]] = field(default_factory=set)
    _files: set[tuple[int, int]] = field(default_factory=set)
    _ids: dict[str, Path] = field(default_factory=dict)
    _excluded: list[tuple[Path, Any]] = field(default_factory=list)

    def files(self, roots: Sequence[Root]) -> Iterator[Found | LeftOut]:
        excluded = [_patterns(self.exclude, "--exclude")] if self.exclude else []
        for root in roots:
            if root.file is not None:
                yield from self._single(root, root.file)
                continue
            self._excluded = [(root.folder, spec) for spec in excluded]
            yield from self._folder(root, _ignored_above(root.folder) if self.gitignore else [])

    def _single(self, root: Root, name: str) -> Iterator[Found | LeftOut]:
        path = root.folder / name
        kind = self.kind or kind_of(name) or _kind_of_content(path)
        if kind is None:
            raise InvalidArgumentError(
                f"{root.folder / name}: unknown kind of file",
                hint=f"say how to read it: --format KIND, of {', '.join(KINDS)}",
            )
        yield from self._file(root, root.folder / name, kind)

    def _folder(self, root: Root, ignored: list[tuple[Path, Any]]) -> Iterator[Found | LeftOut]:
        # The folders still to read, the next one last; a stack, because folders may nest deeper than Python recurses.
        waiting = [(root.folder, ignored)]
        while waiting:
            folder, ignored = waiting.pop()
            try:
                identity = os.stat(folder)
                if (identity.st_dev, identity.st_ino) in self._folders:
                    yield LeftOut(folder, "folder that is read already, by another path")
                    continue
                self._folders.add((identity.st_dev, identity.st_ino))
                with os.scandir(folder) as scan:
                    entries = sorted(scan, key=lambda entry: entry.name)
                    names = {entry.name for entry in entries}
                    if self.gitignore and ".gitignore" in names:
                        ignored = [*ignored, (folder, _read_patterns(folder / ".gitignore"))]
            except OSError as error:
                self.unreadable.append(folder)
                yield LeftOut(folder, f"cannot be read: {error.strerror or error}", failed=True)
                continue
            is_beir = {"corpus.jsonl", "queries.jsonl"} <= names
            below = []
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                path = Path(entry.path)
                if is_beir and entry.name in ("queries.jsonl", "qrels"):
                    yield LeftOut(path, "queries and judgments of a BEIR folder")
                    continue
                try:
                    is_folder = entry.is_dir()
                except OSError:
                    is_folder = False
                if _is_ignored(path, is_folder, ignored) or _is_ignored(path, is_folder, self._excluded):
                    yield LeftOut(path, "excluded, or in .gitignore")
                elif entry.is_symlink() and (reason := _needless(path, root.folder)):
                    yield LeftOut(path, reason)
                elif is_folder:
                    below.append((path, ignored))
                else:
                    yield from self._known_kind(root, path)
            waiting += reversed(below)

    def _known_kind(self, root: Root, path: Path) -> Iterator[Found | LeftOut]:
        kind = self.kind or kind_of(path.name) or _kind_of_content(path)
        if kind is None:
            suffix = path.suffix.lower()
            yield LeftOut(path, f"unknown kind {suffix}" if suffix.isascii() and suffix else "unknown kind")
            return
        yield from self._file(root, path, kind)

    def _file(self, root: Root, path: Path, kind: str) -> Iterator[Found | LeftOut]:
        try:
            found = path.stat()
        except OSError as error:
            reason = LOOP if error.errno == errno.ELOOP else f"cannot be read: {error.strerror or error}"
            yield LeftOut(path, reason, failed=not path.is_symlink())
            return
        place = path.relative_to(root.folder).as_posix()
        try:
            place.encode()
        except UnicodeEncodeError:
            yield LeftOut(path, "its name is not UTF-8", failed=True)
            return
        # Opening a pipe or a device may block for ever.
        if not stat.S_ISREG(found.st_mode):
            yield LeftOut(path, "no regular file")
        elif (found.st_dev, found.st_ino) in self._files:
            yield LeftOut(path, "file that is read already, by another path")
        else:
            self._files.add((found.st_dev, found.st_ino))
            file = Found(root, place, kind, found.st_size)
            other = self._ids.setdefault(file.external_id, path)
            if other != path:
                yield LeftOut(
                    path, f"has the external_id of {other}: give each folder a --source of its own", failed=True
                )
            else:
                yield file


def _needless(link: Path, folder: Path) -> str | None:
    """Return why a link within a folder is not followed; None if it is followed."""
    try:
        target = link.resolve(strict=True)
    except OSError as error:
        return LOOP if error.errno == errno.ELOOP else None
    # Older versions of Python raise RuntimeError for a loop.
    except RuntimeError:
        return LOOP
    if link.parent.resolve().is_relative_to(target):
        return LOOP
    return "link to what is read anyway" if target.is_relative_to(folder) else None


def _kind_of_content(path: Path) -> str | None:
    """Return "text" for a text file without a suffix, else None."""
    if path.suffix or not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            return "text" if looks_like_text(file.read(BYTES_LOOKED_AT)) else None
    except OSError:
        # Reading the file reports the error.
        return "text"


def _patterns(lines: Sequence[str], purpose: str, hint: str = HINT) -> Any:
    try:
        return library("pathspec", purpose, hint).GitIgnoreSpec.from_lines(lines)
    except ValueError as error:
        raise InvalidArgumentError(f"{purpose}: {error}", hint="write patterns as in .gitignore") from error


def _read_patterns(path: Path) -> Any:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except IsADirectoryError:
        lines = []
    return _patterns(lines, str(path), f"{HINT}, or read what it leaves out, too: --no-gitignore")


def _ignored_above(folder: Path) -> list[tuple[Path, Any]]:
    """Return the .gitignore patterns of the folders above, up to the repository's root, outermost first."""
    found: list[tuple[Path, Any]] = []
    if (folder / ".git").exists():
        return []
    for above in folder.parents:
        if (above / ".gitignore").is_file():
            found.append((above, _read_patterns(above / ".gitignore")))
        if (above / ".git").exists():
            return found[::-1]
    # The folder is in no repository, so these files do not apply.
    return []


def _is_ignored(path: Path, is_folder: bool, ignored: Sequence[tuple[Path, Any]]) -> bool:
    """Return whether a path is ignored. The .gitignore nearest to the file decides, as in git."""
    for base, spec in reversed(ignored):
        name = path.relative_to(base).as_posix() + ("/" if is_folder else "")
        include = spec.check_file(name).include
        if include is not None:
            return bool(include)
    return False
