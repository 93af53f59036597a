"""Embed without a model: texts that share words are near each other."""

from __future__ import annotations

import hashlib
import re

import numpy as np
from numpy.typing import NDArray


class HashEmbedder:
    """Sum a pseudo-random unit vector per word, so that cosine similarity grows with the number of shared words."""

    model_name = "all-MiniLM-L6-v2"
    dimensions = 384

    def embed_documents(self, texts: list[str]) -> NDArray[np.float32]:
        return np.stack([self._embed(text) for text in texts]) if texts else np.zeros((0, 384), np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._embed(text)

    def _embed(self, text: str) -> NDArray[np.float32]:
        # A text without words has a direction as well.
        total: NDArray[np.float32] = np.full(self.dimensions, 1e-3, np.float32)
        for word in re.findall(r"\w+", text.lower()):
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
            total += np.random.default_rng(seed).standard_normal(self.dimensions, np.float32)
        return np.divide(total, np.linalg.norm(total), dtype=np.float32)
