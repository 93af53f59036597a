"""Build hooks: replace each link of the repository by the file that it leads to."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# Matches [text](target), where the target is a file of the repository.
FILE_LINK = re.compile(r"(!?)\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)")


class FollowLinks(BuildHookInterface[Any]):
    """Follow symbolic links: README.md and LICENSE are links here, and an archive needs the files themselves."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        included = build_data["force_include"]
        build_data["force_include"] = {os.path.realpath(source): target for source, target in included.items()}


class MetadataOfVersion(MetadataHookInterface):
    """Make README.md's links absolute, because a package index shows it without the other files. Replace `{version}`
    by the version."""

    def update(self, metadata: dict[str, Any]) -> None:
        if "readme" not in metadata:
            text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
            repository = metadata.get("urls", {}).get("Repository")
            metadata["readme"] = {"content-type": "text/markdown", "text": with_absolute_links(text, repository)}
        version = metadata["version"]
        if "dependencies" in self.config:
            metadata["dependencies"] = _of_version(self.config["dependencies"], version)
        if "optional-dependencies" in self.config:
            extras = self.config["optional-dependencies"]
            metadata["optional-dependencies"] = {extra: _of_version(extras[extra], version) for extra in extras}


def _of_version(requirements: list[str], version: str) -> list[str]:
    return [requirement.replace("{version}", version) for requirement in requirements]


def with_absolute_links(text: str, repository: str | None) -> str:
    """Return the text with links to files of the repository; without its address, replace each link by its text."""
    if not repository:
        return FILE_LINK.sub(r"\2", text)

    def absolute(link: re.Match[str]) -> str:
        # A picture needs the raw file, a link the page that shows the file.
        return f"{link[1]}[{link[2]}]({repository.rstrip('/')}/{'raw' if link[1] else 'blob'}/HEAD/{link[3]})"

    return FILE_LINK.sub(absolute, text)
