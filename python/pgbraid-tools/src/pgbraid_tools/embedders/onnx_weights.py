"""Read the weights of a BERT from an ONNX file, quantised to 8 bits, without the libraries of ONNX."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pgbraid.embedders.bert import Array

# Numbers of protobuf fields in onnx.proto: of the model, the graph, a node and a tensor.
GRAPH, NODE, INITIALIZER = 7, 1, 5
NODE_INPUT, NODE_NAME = 1, 3
DIMS, TYPE, FLOATS, INTEGERS, TENSOR_NAME, RAW = 1, 2, 4, 5, 8, 9
TYPES: dict[int, np.dtype[Any]] = {1: np.dtype("<f4"), 2: np.dtype("u1"), 3: np.dtype("i1")}


def read_onnx(path: Path) -> dict[str, Array]:
    """Return float32 weights under the names that PyTorch gives them. Raise KeyError or ValueError for another file."""
    graph = next(value for field, value in _fields(memoryview(path.read_bytes())) if field == GRAPH)
    tensors: dict[str, np.ndarray] = {}
    products: dict[str, str] = {}
    for field, value in _fields(_block(graph)):
        if field == INITIALIZER:
            name, tensor = _tensor(_block(value))
            tensors[name] = tensor
        elif field == NODE:
            parts = [(part, bytes(_block(text)).decode()) for part, text in _fields(_block(value)) if part in (1, 3)]
            name = next((text for part, text in parts if part == NODE_NAME), "")
            if name.endswith("/MatMul_quant"):
                # "/encoder/layer.0/output/dense/MatMul_quant" multiplies with "encoder.layer.0.output.dense.weight".
                given = [text for part, text in parts if part == NODE_INPUT]
                products[name.strip("/").replace("/", ".").removesuffix("MatMul_quant") + "weight"] = given[1]
    weights = {name: tensor for name, tensor in tensors.items() if name.startswith(("embeddings.", "encoder."))}
    found = {name: tensor for name, tensor in weights.items() if name.endswith((".weight", ".bias"))}
    for name in [name for name in weights if name.endswith("_quantized")]:
        found[name.removesuffix("_quantized")] = _dequantised(tensors, name)
    # ONNX keeps the matrix of a linear layer transposed.
    return found | {name: _dequantised(tensors, quantised).T for name, quantised in products.items()}


def _dequantised(tensors: dict[str, np.ndarray], name: str) -> Array:
    stem = name.removesuffix("_quantized")
    weights: Array = tensors[name].astype(np.float32)
    weights -= tensors[f"{stem}_zero_point"].astype(np.float32)
    weights *= tensors[f"{stem}_scale"]
    return weights


def _tensor(block: memoryview) -> tuple[str, np.ndarray]:
    shape: list[int] = []
    parts: dict[int, int | memoryview] = {}
    for field, value in _fields(block):
        if field == DIMS and isinstance(value, int):
            shape.append(value)
        else:
            parts[field] = value
    name = bytes(_block(parts[TENSOR_NAME])).decode()
    code = parts[TYPE]
    kind = TYPES.get(code) if isinstance(code, int) else None
    if kind is None:
        return name, np.empty(0)
    if RAW in parts:
        numbers = np.frombuffer(_block(parts[RAW]), dtype=kind)
    elif FLOATS in parts:
        numbers = np.frombuffer(_block(parts[FLOATS]), dtype="<f4")
    else:
        numbers = np.array(list(_integers(_block(parts[INTEGERS]))), dtype=np.int64)
        numbers = numbers.astype(np.int32).astype(kind)
    return name, numbers.reshape(shape)


def _block(value: int | memoryview) -> memoryview:
    if isinstance(value, int):
        raise ValueError("the file is no model in ONNX")
    return value


def _fields(block: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield the fields of a protobuf message: the number of each, and its value."""
    place = 0
    while place < len(block):
        key, place = _varint(block, place)
        kind = key & 7
        if kind == 0:
            value, place = _varint(block, place)
            yield key >> 3, value
            continue
        if kind == 2:
            length, place = _varint(block, place)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError("the file is no model in ONNX")
        yield key >> 3, block[place : place + length]
        place += length


def _integers(block: memoryview) -> Iterator[int]:
    place = 0
    while place < len(block):
        value, place = _varint(block, place)
        yield value - (1 << 64) if value >> 63 else value


def _varint(block: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = block[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place
