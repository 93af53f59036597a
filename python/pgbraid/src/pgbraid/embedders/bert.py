"""Compute the forward pass of a small BERT (12 heads, 384 dimensions) in numpy.

Texts are packed one after the other without padding: linear layers run over all tokens at once, attention text by text.
The architecture follows Devlin et al. 2019; pooling and normalisation follow sentence-transformers.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

HEADS = 12
HIDDEN = 384
EPSILON = np.float32(1e-12)
# gelu(x) = x/2 (1 + tanh(x p(min(x², 25)))), where p is fitted to the exact, erf-based gelu: |error| < 1.2e-5.
GELU = np.array([7.97690121e-01, 3.67308130e-02, -2.55099194e-04, -8.60766659e-06], dtype=np.float32)
# A block of activations that stays in the second-level cache throughout an elementwise function.
BLOCK = 1 << 16


def read_safetensors(path: Path) -> dict[str, Array]:
    """Return the file's float32 tensors as views of its memory map: unused rows are never read from disk."""
    raw = np.memmap(path, dtype=np.uint8, mode="r")
    header_size = int(raw[:8].view("<u8")[0])
    header = json.loads(raw[8 : 8 + header_size].tobytes())
    body = raw[8 + header_size :]
    return {
        name: np.asarray(body[slice(*entry["data_offsets"])].view("<f4").reshape(entry["shape"]))
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }


def gelu(x: Array) -> None:
    """Compute 2·gelu(x) in place; the factor is folded into the next weights."""
    flat = x.reshape(-1)
    scratch = np.empty(min(BLOCK, flat.size), dtype=np.float32)
    for start in range(0, flat.size, BLOCK):
        block = flat[start : start + BLOCK]
        t = scratch[: block.size]
        np.multiply(block, block, out=t)
        np.minimum(t, np.float32(25), out=t)
        s = t.copy()
        t *= GELU[3]
        t += GELU[2]
        t *= s
        t += GELU[1]
        t *= s
        t += GELU[0]
        t *= block
        np.tanh(t, out=t)
        t += np.float32(1)
        block *= t


def layer_norm(x: Array, weight: Array, bias: Array) -> None:
    x -= x.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", x, x) / np.float32(HIDDEN)
    x *= (np.float32(1) / np.sqrt(variance + EPSILON))[:, None]
    x *= weight
    x += bias


class Layer:
    def __init__(self, tensors: dict[str, Array], prefix: str) -> None:
        def linear(name: str) -> tuple[Array, Array]:
            return tensors[f"{prefix}{name}.weight"], tensors[f"{prefix}{name}.bias"]

        query, key, value = (linear(f"attention.self.{part}") for part in ("query", "key", "value"))
        scale = np.float32((HIDDEN // HEADS) ** -0.5)
        self.qkv_weight = np.concatenate([query[0] * scale, key[0], value[0]]).T
        self.qkv_bias = np.concatenate([query[1] * scale, key[1], value[1]])
        weight, self.attention_bias = linear("attention.output.dense")
        self.attention_weight = weight.T
        self.attention_norm = linear("attention.output.LayerNorm")
        weight, self.inner_bias = linear("intermediate.dense")
        self.inner_weight = weight.T
        weight, self.output_bias = linear("output.dense")
        self.output_weight = weight.T * np.float32(0.5)
        self.output_norm = linear("output.LayerNorm")

    def __call__(self, x: Array, bounds: list[tuple[int, int]]) -> Array:
        qkv = x @ self.qkv_weight
        qkv += self.qkv_bias
        mixed = np.empty_like(x)
        for start, end in bounds:
            parts = qkv[start:end].reshape(end - start, 3, HEADS, HIDDEN // HEADS)
            query, key, value = (parts[:, i].transpose(1, 0, 2) for i in range(3))
            scores = query @ key.transpose(0, 2, 1)
            # This model's scores exceed 88 on long texts, where exp overflows float32.
            scores -= scores.max(axis=2, keepdims=True)
            np.exp(scores, out=scores)
            context = scores @ value
            context /= scores.sum(axis=2, keepdims=True)
            mixed[start:end].reshape(end - start, HEADS, HIDDEN // HEADS)[...] = context.transpose(1, 0, 2)
        hidden: Array = mixed @ self.attention_weight
        hidden += self.attention_bias
        hidden += x
        layer_norm(hidden, *self.attention_norm)
        inner = hidden @ self.inner_weight
        inner += self.inner_bias
        gelu(inner)
        output: Array = inner @ self.output_weight
        output += self.output_bias
        output += hidden
        layer_norm(output, *self.output_norm)
        return output


class Bert:
    """Compute `Bert(tensors, pooling)(token_ids)` → unit vectors, float32, shape (number of texts, 384). `pooling` is
    "mean", or "cls", which takes the first token's vector."""

    def __init__(self, tensors: dict[str, Array], pooling: str) -> None:
        self.pooling = pooling
        self.words = tensors["embeddings.word_embeddings.weight"]
        self.positions = (
            tensors["embeddings.position_embeddings.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
        )
        self.norm = (tensors["embeddings.LayerNorm.weight"], tensors["embeddings.LayerNorm.bias"])
        count = sum(name.endswith(".output.LayerNorm.weight") for name in tensors) // 2
        self.layers = [Layer(tensors, f"encoder.layer.{i}.") for i in range(count)]

    def __call__(self, token_ids: list[list[int]]) -> Array:
        """Return a vector for each text, which is a list of at most 512 token ids with [CLS] and [SEP]."""
        hidden, bounds = self._encode(token_ids)
        if self.pooling == "cls":
            pooled: Array = hidden[[start for start, _ in bounds]]
        else:
            pooled = np.stack([hidden[start:end].mean(axis=0) for start, end in bounds])
        pooled /= np.linalg.norm(pooled, axis=1, keepdims=True)
        return pooled

    def token_vectors(self, token_ids: list[list[int]]) -> Array:
        """Return unit vectors, float32, shape (number of tokens of all texts, 384)."""
        hidden, _ = self._encode(token_ids)
        hidden /= np.linalg.norm(hidden, axis=1, keepdims=True)
        return hidden

    def _encode(self, token_ids: list[list[int]]) -> tuple[Array, list[tuple[int, int]]]:
        ends = np.cumsum([len(ids) for ids in token_ids])
        bounds = [(int(end) - len(ids), int(end)) for ids, end in zip(token_ids, ends, strict=True)]
        x = self.words[np.concatenate([np.asarray(ids, dtype=np.int64) for ids in token_ids])]
        for start, end in bounds:
            x[start:end] += self.positions[: end - start]
        layer_norm(x, *self.norm)
        for layer in self.layers:
            x = layer(x, bounds)
        return x, bounds
