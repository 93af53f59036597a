"""Count and report the outcome of each file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pgbraid.stored import WriteSummary

__all__ = ["Report"]

EXAMPLES = 3


@dataclass
class Report:
    """Call `say` with a line for each failed file; with `verbose`, also for every other file."""

    say: Callable[[str], None]
    verbose: bool = False
    dry_run: bool = False
    indexed: int = 0
    unchanged: int = 0
    skipped: int = 0
    failed: int = 0
    deleted: int = 0
    textless: int = 0
    written: WriteSummary = field(default_factory=WriteSummary)
    reasons: dict[str, list[str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    _hints: set[str] = field(default_factory=set)

    def note_indexed(self, name: str) -> None:
        self.indexed += 1
        self._tell("would index" if self.dry_run else "indexed", name)

    def note_unchanged(self, name: str) -> None:
        self.unchanged += 1
        self._tell("unchanged", name)

    def note_skipped(self, name: str, reason: str) -> None:
        self.skipped += 1
        self.counts[reason] = self.counts.get(reason, 0) + 1
        examples = self.reasons.setdefault(reason, [])
        if len(examples) < EXAMPLES:
            examples.append(name)
        self._tell("skipped", f"{name}: {reason}")

    def say_problem(self, message: str, hint: str | None = None) -> None:
        self.say(f"failed: {message}")
        if hint and hint not in self._hints:
            self._hints.add(hint)
            self.say(f"hint: {hint}")

    def say_lacking(self, message: str, hint: str) -> None:
        """Report a missing library, once for all files."""
        if message not in self._hints:
            self._hints |= {message, hint}
            self.say(f"warning: {message}")
            self.say(f"hint: {hint}")

    def note_deleted(self, external_ids: list[str]) -> None:
        self.deleted += len(external_ids)
        for external_id in external_ids:
            self._tell("would delete" if self.dry_run else "deleted", external_id)

    def _tell(self, what: str, name: str) -> None:
        if self.verbose:
            self.say(f"{what}: {name}")

    def skipped_lines(self) -> list[str]:
        """Return a line for each reason that files were skipped, most frequent first; none if `verbose` reported
        them already."""
        if self.verbose:
            return []
        lines = []
        for reason, count in sorted(self.counts.items(), key=lambda item: -item[1]):
            names = self.reasons[reason]
            more = f" and {count - len(names)} more" if count > len(names) else ""
            lines.append(f"skipped: {', '.join(names)}{more}: {reason}")
        return lines

    def lines(self) -> list[str]:
        total = self.indexed + self.unchanged + self.skipped + self.failed
        indexed = f"{self.indexed} {'to index' if self.dry_run else 'indexed'}"
        lines = [
            f"{_count(total, 'file')}: {indexed}, {self.unchanged} unchanged, {self.skipped} skipped,"
            f" {self.failed} failed"
        ]
        if self.written.documents:
            lines.append(str(self.written))
        if self.textless:
            lines.append(f"{_count(self.textless, 'record')} without text left out")
        if self.deleted:
            lines.append(f"{_count(self.deleted, 'document')} {'to delete' if self.dry_run else 'deleted'}")
        return lines


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"
