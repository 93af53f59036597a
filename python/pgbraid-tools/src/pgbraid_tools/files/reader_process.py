"""Read files in a child process, so that a malicious file which crashes, hangs or exhausts memory ends only that
process.

The process starts with the first file, reads one file after the other, and restarts after a failure.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import IO, Any, BinaryIO

from pgbraid.errors import MissingExtraError
from pgbraid_tools.errors import IngestError
from pgbraid_tools.files.drafts import Draft, Input, NoText
from pgbraid_tools.files.kinds import read

try:
    import resource
except ImportError:  # Windows has no resource limits.
    resource = None  # type: ignore[assignment]

__all__ = ["ReaderProcess", "main"]

# The limits for each file: a constant plus a share for each of its bytes. PDF, the slowest format, is read at 700,000
# bytes a second.
CPU_SECONDS = 10
CPU_SECONDS_A_BYTE = 10 / 1_000_000
MEMORY_BYTES = 1_000_000_000
MEMORY_BYTES_A_BYTE = 4
MOST_MEMORY_BYTES = 4_000_000_000
OUTPUT_BYTES = 20_000_000
OUTPUT_BYTES_A_BYTE = 100
# The factor from CPU time to wall-clock time, which stops a read that waits without using CPU, such as for a disk that
# is gone.
CLOCK_FACTOR = 10
# docling runs models of gigabytes, for seconds a page.
DOCLING_FACTOR = 60

HINT = "divide the file, or leave it out with --exclude"
# The path omits the current folder, which might contain modules of any name.
_START = "import sys; sys.path[:] = sys.argv[2:]; from pgbraid_tools.files.reader_process import main; main()"
_LENGTH = struct.Struct(">Q")
_PIECE_BYTES = 100_000
# A file whose output cannot exceed this limit is sent only once it has been read completely.
_HELD_BYTES = 64_000_000
_PR_SET_PDEATHSIG = 1
_SECONDS_BETWEEN_LOOKS = 1.0


def _cpu_seconds(files: Sequence[Input]) -> int:
    seconds = CPU_SECONDS + sum(file.size for file in files) * CPU_SECONDS_A_BYTE
    return round(seconds * (DOCLING_FACTOR if _is_docling(files) else 1))


def _memory_bytes(files: Sequence[Input]) -> int | None:
    if _is_docling(files):
        return None
    return min(MEMORY_BYTES + MEMORY_BYTES_A_BYTE * sum(file.size for file in files), MOST_MEMORY_BYTES)


def _output_bytes(file: Input) -> int:
    return OUTPUT_BYTES + OUTPUT_BYTES_A_BYTE * file.size


def _is_docling(files: Sequence[Input]) -> bool:
    return any(file.reader == "docling" for file in files)


class ReaderProcess:
    """Read files as `kinds.read` does, in another process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def read(self, files: Sequence[Input]) -> Iterator[Iterator[Draft]]:
        """Yield an iterator over the documents of each file. It raises IngestError, MissingExtraError and NoText; also
        IngestError if the process crashes or exceeds its limits.

        Several files are read in one request, which is faster for small files; if that fails, they are read one by one.
        """
        together = self._read_together(files) if len(files) > 1 else None
        for number, file in enumerate(files):
            yield self._read(file) if together is None else _unpacked(*together[number])

    def close(self) -> None:
        """Kill the process, even while it reads."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with process:
                process.wait()

    def _read_together(self, files: Sequence[Input]) -> list[tuple[list[bytes], Exception | None]] | None:
        answers: list[tuple[list[bytes], Exception | None]] | None = None
        try:
            answers = _receive(self._ask(files))
        finally:
            if answers is None:
                self.close()
        return answers

    def _read(self, file: Input) -> Iterator[Draft]:
        is_sound = False
        try:
            source = self._ask([file])
            while (answer := _receive(source)) is not None:
                drafts, is_last, is_sound, error = answer
                yield from _unpacked(drafts, error)
                if is_last:
                    return
            assert self._process is not None
            raise _failure(file, self._process.wait())
        finally:
            if not is_sound:
                self.close()

    def _ask(self, files: Sequence[Input]) -> IO[bytes]:
        """Send a request; return the stream of answers."""
        process = self._process = self._process or _start()
        assert process.stdin is not None and process.stdout is not None
        # If the process has ended, the missing answer reveals it.
        with contextlib.suppress(BrokenPipeError):
            _send(process.stdin, files)
        return process.stdout


def _start() -> subprocess.Popen[bytes]:
    # A new session keeps Ctrl-C from the child; the parent receives it and ends the child.
    return subprocess.Popen(
        [sys.executable, "-c", _START, str(os.getpid()), *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # Other allocators reserve more memory than they use, and reserved memory counts towards the limit.
        env={**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"},
    )


def _unpacked(drafts: Sequence[bytes], error: Exception | None) -> Iterator[Draft]:
    yield from map(pickle.loads, drafts)
    if error is not None:
        raise error


def _failure(file: Input, code: int) -> IngestError:
    """Return the error for a file whose process ended with this exit code."""
    seconds = _cpu_seconds([file])
    if code == -getattr(signal, "SIGXCPU", 0):
        return file.error(f"takes more than {seconds} s of CPU to read", hint=HINT)
    if code == -getattr(signal, "SIGALRM", 0):
        return file.error(f"takes more than {seconds * CLOCK_FACTOR} s to read", hint=HINT)
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"exit code {code}"
    limit = _memory_bytes([file])
    needs = f", or needs more than {limit // 1_000_000} MB of memory" if limit else ""
    return file.error(f"crashes what reads it{needs} ({name})", hint=HINT)


def _send(target: IO[bytes], value: Any) -> None:
    body = pickle.dumps(value)
    target.write(_LENGTH.pack(len(body)) + body)
    target.flush()


def _receive(source: IO[bytes]) -> Any:
    """Return the next message; None at the end of the stream."""
    head = source.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    body = source.read(length)
    return pickle.loads(body) if len(body) == length else None


# Code that runs in the child process


def main() -> None:
    """Read files at the parent's request, until the parent ends."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # Output that a library prints must not mix with the answers.
    os.dup2(2, 1)
    _end_with(int(sys.argv[1]))
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(BrokenPipeError):
        while files := _receive(requests):
            _limit(files)
            if len(files) == 1:
                _Reading(files[0], answers).run()
            else:
                readings = [_Reading(file) for file in files]
                if not all(reading.run() for reading in readings):
                    return
                _set_clock(0)
                _send(answers, [(reading.held, reading.error) for reading in readings])


def _end_with(parent: int) -> None:
    """End this process when the parent ends. Linux does this by a signal. Elsewhere a thread checks once a second; a
    library that blocks the thread runs until the CPU limit. On Windows, where an orphan keeps its parent's number and
    the program of a virtual environment starts another one, the process ends after the file."""

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        os._exit(1)

    if sys.platform == "win32":
        return
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=look, daemon=True).start()


def _limit(files: Sequence[Input]) -> None:
    """Set the CPU and memory limits for reading files. Exceeding them ends the process or raises MemoryError."""
    if resource is None:
        return
    cpu_seconds = int(time.process_time()) + 1 + _cpu_seconds(files)
    for what, most in ((resource.RLIMIT_CPU, cpu_seconds), (resource.RLIMIT_DATA, _memory_bytes(files))):
        hard = resource.getrlimit(what)[1]
        if most is None or 0 <= hard < most:
            most = hard
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (most, hard))


def _set_clock(seconds: float) -> float:
    """End this process after some seconds, or never if 0. Return the time that was left."""
    return signal.setitimer(signal.ITIMER_REAL, seconds)[0] if hasattr(signal, "setitimer") else 0


class _TooMuch(Exception):  # noqa: N818
    """Raised when a file yields more text than the limit."""


class _Reading:
    """Read a file; with `target`, send its documents."""

    def __init__(self, file: Input, target: BinaryIO | None = None) -> None:
        self.held: list[bytes] = []
        self.error: Exception | None = None
        self._file = file
        self._target = target

    def run(self) -> bool:
        """Read the file; return whether this process is still in a sound state."""
        file = self._file
        _set_clock(_cpu_seconds([file]) * CLOCK_FACTOR)
        is_sound = True
        try:
            self._read()
        except BrokenPipeError:
            raise
        # Libraries written in Rust raise exceptions that are no Exception, and leave their state undefined.
        except BaseException as error:
            # Readers turn every exception of their library into an IngestError; look for its cause.
            cause = error.__cause__ if isinstance(error, IngestError) else None
            found = cause if isinstance(cause, (MemoryError, RecursionError)) else error
            # After a MemoryError, the memory may never be freed.
            is_sound = isinstance(found, Exception) and not isinstance(found, MemoryError)
            self._fail(found)
        self._give(is_last=True, is_sound=is_sound)
        return is_sound

    def _read(self) -> None:
        most = _output_bytes(self._file)
        total = given = 0
        for draft in read(self._file):
            pickled = self._pickled(draft)
            total += len(pickled)
            if total > most:
                raise _TooMuch
            self.held.append(pickled)
            if most > _HELD_BYTES and total - given > _PIECE_BYTES:
                self._give()
                given = total

    def _pickled(self, draft: Draft) -> bytes:
        try:
            return pickle.dumps(draft)
        except RecursionError:
            problem = self._file.error("nested too deeply", line=draft.line)
            return pickle.dumps(Draft(position=draft.position, line=draft.line, error=problem))

    def _fail(self, error: BaseException) -> None:
        file = self._file
        if isinstance(error, (IngestError, MissingExtraError, NoText)):
            self.error = error
            return
        if isinstance(error, OSError):
            self.error = file.error(f"cannot be read: {error.strerror or error}")
            return
        self.held = []
        if isinstance(error, _TooMuch):
            message = f"becomes more than {_output_bytes(file) // 1_000_000} MB of text"
        elif isinstance(error, MemoryError):
            message = f"takes more than {(_memory_bytes([file]) or 0) // 1_000_000} MB of memory to read"
        elif isinstance(error, RecursionError):
            message = "nested too deeply"
        else:
            said = str(error).strip().partition("\n")[0][:200]
            message = f"cannot be read: {type(error).__name__}{f': {said}' if said else ''}"
        self.error = file.error(message, hint=HINT)

    def _give(self, *, is_last: bool = False, is_sound: bool = True) -> None:
        if self._target is None:
            return
        # The clock stops while the parent processes the documents.
        seconds = _set_clock(0)
        _send(self._target, (self.held, is_last, is_sound, self.error))
        self.held = []
        if not is_last:
            _set_clock(seconds)
