"""Read a Dockerfile, and do what its instructions say in a folder."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path


@dataclass
class Stage:
    """Hold a stage: the image that it starts from, and its instructions in order."""

    image: str
    instructions: list[tuple[str, str]] = field(default_factory=list)

    @property
    def runs(self) -> list[str]:
        return [text for name, text in self.instructions if name == "RUN"]

    @property
    def entrypoint(self) -> list[str]:
        (text,) = [text for name, text in self.instructions if name == "ENTRYPOINT"]
        return list(json.loads(text))

    @property
    def healthcheck(self) -> list[str]:
        """Return the command."""
        (text,) = [text for name, text in self.instructions if name == "HEALTHCHECK"]
        return list(json.loads(text.partition(" CMD ")[2]))

    def copied(self, *, from_stages: bool = False) -> list[tuple[str, str]]:
        """Return sources of the context, or of other stages, each with its target."""
        pairs = []
        for name, text in self.instructions:
            *sources, target = shlex.split(text) if name == "COPY" else [""]
            if any(source.startswith("--from=") for source in sources) == from_stages:
                pairs += [(source, target) for source in sources if not source.startswith("--")]
        return pairs

    def copy(self, context: Path, root: Path) -> None:
        """Copy from the context into the image's root, as COPY does: a folder's content, or a file."""
        for source, target in self.copied():
            to = root / target.lstrip("/")
            if (context / source).is_dir():
                shutil.copytree(context / source, to, symlinks=True, dirs_exist_ok=True)
            else:
                to = to / Path(source).name if target.endswith("/") else to
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(context / source, to)


class Dockerfile:
    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def stages(self) -> list[Stage]:
        """Return the stages; comments are left out, and continued lines are put together."""
        text = re.sub(r"^\s*#.*\n", "", self.path.read_text(), flags=re.MULTILINE)
        stages: list[Stage] = []
        for line in re.sub(r"\\\n\s*", "", text).splitlines():
            name, _, rest = line.partition(" ")
            if name == "FROM":
                stages.append(Stage(rest.partition(" ")[0]))
            elif name:
                stages[-1].instructions.append((name, rest))
        return stages

    def copied_to(self, folder: str) -> list[tuple[str, str]]:
        """Return what the last stage copies into a folder: each source with its target."""
        last = self.stages[-1]
        pairs = [*last.copied(), *last.copied(from_stages=True)]
        return [(source, target) for source, target in pairs if target.startswith(folder)]


def copy_context(repository: Path, context: Path) -> None:
    """Copy what .dockerignore lets Docker see: it leaves out everything, and then names what stays."""
    ignored, *lines = (repository / ".dockerignore").read_text().splitlines()
    assert ignored == "*"
    patterns = [line.removeprefix("**/") for line in lines if not line.startswith("!")]
    for line in lines:
        if line.startswith("!"):
            source, target = repository / line[1:], context / line[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(*patterns))
            else:
                shutil.copy(source, target)
