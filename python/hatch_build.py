"""Build hook of the source distribution."""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class FollowLinks(BuildHookInterface[Any]):
    """README.md and LICENSE are links here; an archive needs the files themselves."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        included = build_data["force_include"]
        build_data["force_include"] = {os.path.realpath(source): target for source, target in included.items()}
