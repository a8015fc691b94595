"""ONNX graphs that are a chain of layers, as the arrays of a plain network."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from footfall.api.plugin import Floats, PluginError
from footfall_policy.kernels import Activation
from footfall_policy.onnx_file import Field, OnnxFile

SHAPES = {"Identity", "Flatten", "Reshape", "Squeeze", "Unsqueeze"}
"""Operators that leave the numbers of a row as they are."""
BY_ENTRY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}
"""Operators of each number with a constant."""
KINDS = {
    "Clip": (Activation.CLIP, -math.inf),
    "Elu": (Activation.ELU, 1.0),
    "LeakyRelu": (Activation.RELU, 0.01),
    "Relu": (Activation.RELU, 0.0),
    "Sigmoid": (Activation.SIGMOID, 0.0),
    "Tanh": (Activation.TANH, 0.0),
}
"""Activations by operator, with the default of their factor or lower bound."""
GATES = {"LSTM": ((0, 2, 3, 1), {}), "GRU": ((1, 0, 2), {"linear_before_reset": 1})}
"""PyTorch's gates (i, f, g, o; r, z, n) by their places in ONNX (i, o, f, c; z, r, h), and the
attributes that PyTorch's equations need."""
TYPES = {1: "<f4", 7: "<i8", 11: "<f8"}
"""Types of numbers by ``TensorProto.DataType``."""
MOST = 1 << 24
"""Largest product of matrices that is formed, in numbers."""


class OnnxChain:
    """Reads recurrent layers, then affine layers with activations between them.

    Affine operators between two activations, e.g. normalisation by constants, become one layer:
    they are applied to the origin and to the unit vectors.

    Attributes:
        cells: ``weight_ih, bias_ih, weight_hh, bias_hh`` of each, in PyTorch's order of gates.
        layers: matrix (out, in) and bias of each.
        activations: kind after each layer, with its factor or lower bound, and upper bound.
    """

    def __init__(self, file: OnnxFile) -> None:
        """Read the graph of a file.

        Raises:
            PluginError: if it is no such chain.
        """
        self.cells: list[list[Floats]] = []
        self.layers: list[tuple[Floats, Floats]] = []
        self.activations: list[tuple[int, float, float]] = []
        self._file, self._same = file, dict[str, str]()
        self._gated, self._memory = set[str](), list[tuple[str, str]]()
        try:
            with np.errstate(all="ignore"):
                self._read(file.graph)
        except (ArithmeticError, LookupError, TypeError, ValueError, struct.error) as error:
            raise PluginError(f"{file.path}: is no chain of plain layers") from error

    def _read(self, graph: memoryview) -> None:
        self._held = dict(map(self._tensor, self._within(graph, Field.GRAPH_INITIALIZER)))
        inputs, outputs = (
            [(self._text(port, Field.KEY), port) for port in self._within(graph, kind)]
            for kind in (Field.GRAPH_INPUT, Field.GRAPH_OUTPUT)
        )
        (self._x, port), *memory = [each for each in inputs if each[0] not in self._held]
        shape = (Field.PORT_TYPE, Field.TYPE_TENSOR, Field.TYPE_SHAPE, Field.SHAPE_SIZE)
        self._begin(math.prod(self._numbers(port, *shape, -Field.SIZE_VALUE)))
        for node in self._within(graph, Field.GRAPH_NODE):
            self._add(node)
        self._close(Activation.NONE)
        starts = [name for name, _ in memory]
        ends = [self._same.get(name, name) for name, _ in outputs]
        expected = [name for name, _ in self._memory], [name for _, name in self._memory]
        if (starts, ends) != (expected[0], [self._x, *expected[1]]):
            raise ValueError("other inputs or outputs")

    def _within(self, data: memoryview, *path: int) -> Iterator[memoryview]:
        """Yield contents of fields, of fields of fields ..."""
        for key, value in self._file.fields(data):
            if key == path[0]:
                yield from self._within(value, *path[1:]) if path[1:] else (value,)

    def _text(self, data: memoryview, field: int) -> str:
        return bytes(next(self._within(data, field), b"")).decode()

    def _numbers(self, data: memoryview, *path: int) -> list[int]:
        return [self._file.varint(value)[0] for value in self._within(data, *path)]

    def _tensor(self, data: memoryview) -> tuple[str, Floats]:
        found = dict(self._file.fields(data))
        kind = TYPES[self._numbers(data, -Field.TENSOR_TYPE)[0]]
        raw = found.get(Field.TENSOR_RAW, found.get(Field.TENSOR_FLOATS, b""))
        array = np.frombuffer(raw, kind).reshape(self._numbers(data, -Field.TENSOR_SIZE))
        return self._text(data, Field.TENSOR_NAME), array.astype(float)

    def _attribute(self, data: memoryview) -> tuple[str, Any]:
        found = dict(self._file.fields(data))
        value: Any = None
        if Field.ATTRIBUTE_TENSOR in found:
            value = self._tensor(found[Field.ATTRIBUTE_TENSOR])[1]
        elif -Field.ATTRIBUTE_FLOAT in found:
            (value,) = struct.unpack("<f", found[-Field.ATTRIBUTE_FLOAT])
        elif -Field.ATTRIBUTE_INT in found:
            value = self._file.varint(found[-Field.ATTRIBUTE_INT])[0]
        return self._text(data, Field.KEY), value

    def _begin(self, n: int) -> None:
        """Begin a layer: the origin and the unit vectors as rows."""
        if not 0 < n * n <= MOST:
            raise ValueError("a layer is too wide")
        self._rows = np.vstack([np.zeros(n), np.eye(n)])

    def _matrix(self) -> tuple[Floats, Floats]:
        return (self._rows[1:] - self._rows[0]).T, self._rows[0]

    def _close(self, kind: Activation, low: float = 0.0, high: float = 0.0) -> None:
        self.layers.append(self._matrix())
        self.activations.append((kind, low, high))
        self._begin(self._rows.shape[1])

    def _add(self, node: memoryview) -> None:
        """Add an operator that takes the present numbers."""
        op, (ins, outs) = (
            self._text(node, Field.NODE_OPERATOR),
            (
                [bytes(name).decode() for name in self._within(node, field)]
                for field in (Field.NODE_INPUT, Field.NODE_OUTPUT)
            ),
        )
        more = dict(map(self._attribute, self._within(node, Field.NODE_ATTRIBUTE)))
        if op in ("Add", "Mul") and ins[0] in self._held:
            ins.reverse()
        own = [self._same.get(name, name) for name in ins]
        if op == "Constant":
            self._held[outs[0]] = more["value"]
        elif op in SHAPES:
            self._same[outs[0]] = own[0]
        elif op == "Mul" and set(own) == self._gated:
            self.activations[-1], self._x = (Activation.SILU, 0.0, 0.0), outs[0]
        elif own[0] != self._x:
            raise ValueError("a branch")
        elif op in GATES:
            self._recur(op, own, outs, more)
            self._x = self._same[outs[0]] = outs[1]
        elif op in KINDS:
            for key, name in zip(("min", "max"), ins[1:], strict=False):
                more |= {key: self._held[name].item()} if name else {}
            self._gated = {self._x, outs[0]} if op == "Sigmoid" else set()
            kind, low = KINDS[op]
            self._close(kind, more.get("alpha", more.get("min", low)), more.get("max", math.inf))
            self._x = outs[0]
        else:
            self._affine(op, [self._held[name] for name in ins[1:]], more)
            self._x = outs[0]

    def _affine(self, op: str, given: Sequence[Floats], more: Mapping[str, Any]) -> None:
        x, c = self._rows, given[0]
        if len(x) * max(c.shape, default=1) > MOST:
            raise ValueError("a product is too large")
        if op == "Gemm" and not more.get("transA"):
            bias = given[1].ravel() if len(given) > 1 else np.zeros(1)
            y = more.get("alpha", 1.0) * (x @ (c.T if more.get("transB") else c))
            y += more.get("beta", 1.0) * bias
        else:
            y = x @ c if op == "MatMul" else BY_ENTRY[op](x, c.reshape(c.shape[-1:]))
        if y.ndim != 2:
            raise ValueError("is no matrix")
        self._rows = y

    def _recur(
        self, op: str, ins: Sequence[str], outs: Sequence[str], more: Mapping[str, Any]
    ) -> None:
        """Add a recurrent layer; the matrix before it goes into its own."""
        (order, needed), states = GATES[op], ins[5:]
        (W,), (R,), (B,) = (self._held[name] for name in ins[1:4])
        plain = more == {"hidden_size": R.shape[1], **needed} and not ins[4]
        if self.layers or not plain or len(states) != len(order) // 2:
            raise ValueError("a recurrent layer of another kind")
        rows = np.concatenate([np.split(np.arange(len(R)), len(order))[k] for k in order])
        own, other = np.split(B, 2)
        self._rows = self._rows @ W[rows].T + own[rows]
        self.cells.append([*self._matrix(), R[rows], other[rows]])
        self._memory += zip(states, outs[1:], strict=True)
        self._begin(R.shape[1])
