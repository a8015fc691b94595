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
Abs Add And ArgMax ArgMin AveragePool BatchNormalization Cast CastLike Ceil Celu Clip Concat
Constant ConstantOfShape Conv Cos CumSum Div Dropout Einsum Elu Equal Erf Exp Expand Flatten
Floor GRU Gather GatherElements GatherND Gelu Gemm GlobalAveragePool Greater GreaterOrEqual
HardSigmoid HardSwish Identity If InstanceNormalization IsInf IsNaN LSTM LayerNormalization
LeakyRelu Less LessOrEqual Log LogSoftmax LpNormalization MatMul Max MaxPool Mean Min Mish Mod
Mul Neg Not Or PRelu Pad Pow RMSNormalization RNN Range Reciprocal ReduceL1 ReduceL2 ReduceMax
ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Round ScatterElements
ScatterND Selu Shape Sigmoid Sign Sin Slice Softmax Softplus Softsign Split Sqrt Squeeze Sub
Sum Swish Tan Tanh Tile TopK Transpose Unsqueeze Where Xor
"""
OPERATORS = frozenset(_ARITHMETIC.split())
"""Operators of ONNX that a policy may have: arithmetic without loops, files, text or randomness."""


class Field(IntEnum):
    """Fields of the messages of a model, a graph, an operator, an attribute and a tensor."""

    MODEL_GRAPH, MODEL_METADATA, MODEL_FUNCTIONS = 7, 14, 25
    GRAPH_NODE, GRAPH_INITIALIZER, GRAPH_INPUT, GRAPH_OUTPUT, GRAPH_SPARSE = 1, 5, 11, 12, 15
    NODE_INPUT, NODE_OUTPUT = 1, 2
    NODE_OPERATOR, NODE_ATTRIBUTE, NODE_DOMAIN = 4, 5, 7
    ATTRIBUTE_FLOAT, ATTRIBUTE_INT, ATTRIBUTE_TENSOR, ATTRIBUTE_GRAPH = 2, 3, 5, 6
    ATTRIBUTE_TENSORS, ATTRIBUTE_GRAPHS, ATTRIBUTE_SPARSE = 10, 11, 22
    SPARSE_VALUES, SPARSE_INDICES = 1, 2
    TENSOR_SIZE, TENSOR_TYPE, TENSOR_FLOATS, TENSOR_NAME, TENSOR_RAW = 1, 2, 4, 8, 9
    TENSOR_EXTERNAL = 13
    PORT_TYPE, TYPE_TENSOR, TYPE_SHAPE, SHAPE_SIZE, SIZE_VALUE = 2, 1, 2, 1, 1
    KEY, VALUE = 1, 2


LOCATION = "location"
"""Key of the name of a file of weights."""
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class OnnxFile:
    """Reads the structure of a model and refuses all that a policy does not need.

    Attributes:
        graph: the graph's message.
        metadata: texts by key, as written by the exporter.
    """

    def __init__(self, path: Path) -> None:
        """Look through a file.

        Raises:
            PluginError: if it is no ONNX file, too large, has an operator that is not allowed, or
                weights in a file outside its folder.
        """
        self.path, self._count, self._size = path, 0, 0
        model = list(self.fields(memoryview(self._read(path))))
        graphs = [value for key, value in model if key == Field.MODEL_GRAPH]
        if len(graphs) != 1:
            raise self.error("is no ONNX file: it holds no graph")
        if any(key == Field.MODEL_FUNCTIONS for key, _ in model):
            raise self.error("has functions of its own, which are not allowed: export it without")
        self.graph = graphs[0]
        self._graph(self.graph, 0)
        self.metadata = dict(self._pair(v) for key, v in model if key == Field.MODEL_METADATA)

    def error(self, told: str) -> PluginError:
        """Return an error that names the file."""
        return PluginError(f"{self.path}: {told}")

    def _read(self, path: Path) -> bytes:
        if path.exists() and not path.is_file():
            raise self.error(f"{path.name} is no file")
        try:
            self._size += path.stat().st_size
            if self._size > LARGEST:
                raise self.error(f"is larger than {LARGEST / 1e6:g} MB with its weights")
            return path.read_bytes() if path == self.path else b""
        except OSError as error:
            raise self.error(f"cannot be read: {path.name}: {error.strerror}") from error

    def fields(self, data: memoryview) -> Iterator[tuple[int, memoryview]]:
        """Yield number and content of each field of a message; that of plain numbers is negative.

        Raises:
            PluginError: if the message is damaged.
        """
        at, end = 0, len(data)
        while at < end:
            key, first = self.varint(data, at)
            kind, at = key & 7, first
            if kind == _VARINT:
                _, at = self.varint(data, first)
                yield -(key >> 3), data[first:at]
            elif kind in (_FIXED64, _FIXED32):
                at += 8 if kind == _FIXED64 else 4
                yield -(key >> 3), data[first:at]
            elif kind == _BYTES:
                size, at = self.varint(data, at)
                yield key >> 3, data[at : at + size]
                at += size
            if kind not in (_VARINT, _FIXED64, _FIXED32, _BYTES) or at > end or key >> 32:
                raise self.error("is no ONNX file, or a damaged one")

    def varint(self, data: memoryview, at: int = 0) -> tuple[int, int]:
        """Return a number and the place after it.

        Raises:
            PluginError: if the file is damaged.
        """
        value = 0
        for shift in range(0, 70, 7):
            if at >= len(data):
                break
            value |= (data[at] & 0x7F) << shift
            at += 1
            if data[at - 1] < 0x80:
                return value, at
        raise self.error("is no ONNX file, or a damaged one")

    def _pair(self, data: memoryview) -> tuple[str, str]:
        found = {key: _text(value) for key, value in self.fields(data)}
        return found.get(Field.KEY, ""), found.get(Field.VALUE, "")

    def _graph(self, data: memoryview, depth: int) -> None:
        if depth > DEEPEST:
            raise self.error(f"nests subgraphs more than {DEEPEST} deep")
        for key, value in self.fields(data):
            if key == Field.GRAPH_NODE:
                self._node(value, depth)
            elif key in (Field.GRAPH_INITIALIZER, Field.GRAPH_SPARSE):
                self._tensor(value, sparse=key == Field.GRAPH_SPARSE)

    def _node(self, data: memoryview, depth: int) -> None:
        self._count += 1
        if self._count > MOST:
            raise self.error(f"has more than {MOST} operators")
        parts = list(self.fields(data))
        found = {key: _text(value) for key, value in parts if key != Field.NODE_ATTRIBUTE}
        name, domain = found.get(Field.NODE_OPERATOR, ""), found.get(Field.NODE_DOMAIN, "")
        if domain not in ("", "ai.onnx") or name not in OPERATORS:
            full = f"{domain}.{name}" if domain else name
            raise self.error(f"operator {full} is not allowed{nearest(name, OPERATORS)}")
        for key, attribute in parts:
            for kind, value in self.fields(attribute) if key == Field.NODE_ATTRIBUTE else ():
                if kind in (Field.ATTRIBUTE_GRAPH, Field.ATTRIBUTE_GRAPHS):
                    self._graph(value, depth + 1)
                elif kind in (Field.ATTRIBUTE_TENSOR, Field.ATTRIBUTE_TENSORS):
                    self._tensor(value, sparse=False)
                elif kind == Field.ATTRIBUTE_SPARSE:
                    self._tensor(value, sparse=True)

    def _tensor(self, data: memoryview, *, sparse: bool) -> None:
        """Check that weights are in this file or in its folder."""
        for key, value in self.fields(data):
            if sparse and key in (Field.SPARSE_VALUES, Field.SPARSE_INDICES):
                self._tensor(value, sparse=False)
            elif not sparse and key == Field.TENSOR_EXTERNAL:
                name, place = self._pair(value)
                if name == LOCATION:
                    self._beside(place)

    def _beside(self, name: str) -> None:
        path = self.path.parent / name
        try:
            beside = path.resolve(strict=True).parent == self.path.parent.resolve()
            beside = beside and path.is_file()
        except (OSError, ValueError, RuntimeError):  # too long, a zero in it, links in a circle
            beside = False
        if not beside:
            told = repr(name if len(name) < 100 else f"{name[:97]}...")
            raise self.error(f"its weights {told} are not a file in the same folder")
        self._read(path)


def _text(value: memoryview) -> str:
    return bytes(value).decode("utf-8", "replace")
