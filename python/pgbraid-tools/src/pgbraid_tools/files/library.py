"""Import the libraries of the extra [files] when a file needs them."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from pgbraid.errors import MissingExtraError

__all__ = ["HINT", "has_library", "library"]

HINT = "pip install 'pgbraid[files]'"


def library(module: str, purpose: str, hint: str = HINT) -> Any:
    """Import and return a module. Raise MissingExtraError, which names the purpose, if it is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        missing = f"{purpose} needs the library {module.partition('.')[0]}"
        if not isinstance(error, ModuleNotFoundError):
            missing += f", which is not whole: {str(error).partition(chr(10))[0]}"
        raise MissingExtraError(missing, hint=hint) from error


@cache
def has_library(module: str) -> bool:
    try:
        import_module(module)
    except ImportError:
        return False
    return True
