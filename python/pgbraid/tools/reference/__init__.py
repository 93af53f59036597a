"""Make the pages of docs/reference from `sql/`, from the commands and from the Python client."""

from __future__ import annotations

from pathlib import Path

from reference import commands, functions, options, python, settings, views
from reference.markdown import FOLDER


def pages() -> dict[Path, str]:
    """Return the text of each generated page, by path."""
    made = {
        "commands": commands.page,
        "functions": functions.page,
        "views": views.page,
        "options": options.page,
        "python": python.page,
        "settings": settings.page,
    }
    return {FOLDER / f"{name}.md": make() for name, make in made.items()}
