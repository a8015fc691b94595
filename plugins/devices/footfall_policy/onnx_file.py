"""An ONNX file as bytes: operators, weights' places and metadata, before a runtime loads it.

Source: onnx.proto3 (field numbers) and the encoding of protocol buffers.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path

from footfall.api.plugin import PluginError, nearest

LARGEST = 256_000_000
"""Largest size of a network with its weights, [bytes]."""
DEEPEST, MOST = 4, 20_000
"""Greatest nesting of subgraphs, and greatest number of operators."""
_ARITHMETIC = """
Abs Add And AveragePool BatchNormalization Cast Celu Clip Concat Constant ConstantOfShape Conv
Cos Div Dropout Elu Equal Erf Exp Expand Flatten GRU Gather Gelu Gemm GlobalAveragePool Greater
GreaterOrEqual HardSigmoid HardSwish Identity If InstanceNormalization LSTM LayerNormalization
LeakyRelu Less LessOrEqual Log LogSoftmax LpNormalization MatMul Max MaxPool Mean Min Mish Mul
Neg Not Or PRelu Pow RMSNormalization RNN Range Reciprocal ReduceL2 ReduceMax ReduceMean
ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Selu Shape Sigmoid Sign Sin Slice
Softmax Softplus Softsign Split Sqrt Squeeze Sub Sum Swish Tanh Tile Transpose Unsqueeze Where
"""
OPERATORS = frozenset(_ARITHMETIC.split())
"""Operators of ONNX that a policy may have: arithmetic without loops, files, text or randomness."""


class Model(IntEnum):
    """Fields of ``ModelProto``."""

    GRAPH = 7
    METADATA = 14
    FUNCTIONS = 25


class Graph(IntEnum):
    """Fields of ``GraphProto``."""

    NODE = 1
    INITIALIZER = 5
    SPARSE = 15


class Node(IntEnum):
    """Fields of ``NodeProto``."""

    OPERATOR = 4
    ATTRIBUTE = 5
    DOMAIN = 7


class Attribute(IntEnum):
    """Fields of ``AttributeProto``."""

    TENSOR = 5
    GRAPH = 6
    TENSORS = 10
    GRAPHS = 11
    SPARSE = 22


EXTERNAL, LOCATION = 13, "location"
"""Field of ``TensorProto`` that lists files of weights, and the key of a file's name."""
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class OnnxFile:
    """Reads the structure of a model and refuses all that a policy does not need.

    Attributes:
        metadata: texts by key, as written by the exporter.
    """

    def __init__(self, path: Path) -> None:
        """Look through a file.

        Raises:
            PluginError: if it is no ONNX file, too large, has an operator that is not allowed, or
                weights in a file outside its folder.
        """
        self.path, self._count, self._size = path, 0, 0
        data = memoryview(self._read(path))
        model = [(key, value) for key, value in self._fields(data) if isinstance(value, memoryview)]
        graphs = [value for key, value in model if key == Model.GRAPH]
        if len(graphs) != 1:
            raise self.error("is no ONNX file: it holds no graph")
        if any(key == Model.FUNCTIONS for key, _ in model):
            raise self.error("has functions of its own, which are not allowed: export it without")
        self._graph(graphs[0], 0)
        pairs = [dict(self._fields(value)) for key, value in model if key == Model.METADATA]
        self.metadata = {self._text(pair.get(1)): self._text(pair.get(2)) for pair in pairs}

    def error(self, told: str) -> PluginError:
        """Return an error that names the file."""
        return PluginError(f"{self.path}: {told}")

    def _read(self, path: Path) -> bytes:
        try:
            self._size += path.stat().st_size
            if self._size > LARGEST:
                raise self.error(f"is larger than {LARGEST / 1e6:g} MB with its weights")
            return path.read_bytes() if path == self.path else b""
        except OSError as error:
            raise self.error(f"cannot be read: {path.name}: {error.strerror}") from error

    def _fields(self, data: memoryview) -> Iterator[tuple[int, memoryview | int]]:
        """Yield number and value of each field of a message; numbers of fixed size as 0."""
        at, end = 0, len(data)
        while at < end:
            key, at = self._varint(data, at)
            kind, value = key & 7, 0
            if kind == _VARINT:
                value, at = self._varint(data, at)
                yield key >> 3, value
            elif kind in (_FIXED64, _FIXED32):
                at += 8 if kind == _FIXED64 else 4
                yield key >> 3, 0
            elif kind == _BYTES:
                size, at = self._varint(data, at)
                yield key >> 3, data[at : at + size]
                at += size
            else:
                at = end + 1
            if at > end:
                raise self.error("is no ONNX file, or a damaged one")

    def _varint(self, data: memoryview, at: int) -> tuple[int, int]:
        value = 0
        for shift in range(0, 70, 7):
            if at >= len(data):
                break
            value |= (data[at] & 0x7F) << shift
            at += 1
            if data[at - 1] < 0x80:
                return value, at
        raise self.error("is no ONNX file, or a damaged one")

    def _text(self, value: memoryview | int | None) -> str:
        return bytes(value).decode("utf-8", "replace") if isinstance(value, memoryview) else ""

    def _parts(self, data: memoryview | int) -> Iterator[tuple[int, memoryview]]:
        """Yield the fields that are messages or text."""
        if isinstance(data, int):
            raise self.error("is no ONNX file, or a damaged one")
        for key, value in self._fields(data):
            if isinstance(value, memoryview):
                yield key, value

    def _graph(self, data: memoryview, depth: int) -> None:
        if depth > DEEPEST:
            raise self.error(f"nests subgraphs more than {DEEPEST} deep")
        for key, value in self._parts(data):
            if key == Graph.NODE:
                self._node(value, depth)
            elif key in (Graph.INITIALIZER, Graph.SPARSE):
                self._tensor(value, sparse=key == Graph.SPARSE)

    def _node(self, data: memoryview, depth: int) -> None:
        self._count += 1
        if self._count > MOST:
            raise self.error(f"has more than {MOST} operators")
        parts = list(self._parts(data))
        found = {key: self._text(value) for key, value in parts if key != Node.ATTRIBUTE}
        name, domain = found.get(Node.OPERATOR, ""), found.get(Node.DOMAIN, "")
        if domain not in ("", "ai.onnx") or name not in OPERATORS:
            full = f"{domain}.{name}" if domain else name
            raise self.error(f"operator {full} is not allowed{nearest(name, OPERATORS)}")
        for key, attribute in parts:
            for kind, value in self._parts(attribute) if key == Node.ATTRIBUTE else ():
                if kind in (Attribute.GRAPH, Attribute.GRAPHS):
                    self._graph(value, depth + 1)
                elif kind in (Attribute.TENSOR, Attribute.TENSORS, Attribute.SPARSE):
                    self._tensor(value, sparse=kind == Attribute.SPARSE)

    def _tensor(self, data: memoryview, *, sparse: bool) -> None:
        """Check that weights are in this file or in its folder."""
        for key, value in self._parts(data):
            if sparse and key in (1, 2):
                self._tensor(value, sparse=False)
            elif not sparse and key == EXTERNAL:
                pair = dict(self._fields(value))
                if self._text(pair.get(1)) == LOCATION:
                    self._beside(self._text(pair.get(2)))

    def _beside(self, name: str) -> None:
        path = self.path.parent / name
        folder = self.path.parent.resolve()
        if "\0" in name or path.resolve().parent != folder or not path.is_file():
            raise self.error(f"its weights {name!r} are not a file in the same folder")
        self._read(path)
