"""Networks: from an array of observations and memory to an array of actions and memory."""

from __future__ import annotations

import os
import re
import select
import struct
import subprocess
import sys
import weakref
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats, PluginError, nearest
from footfall_policy.kernels import GRU, LSTM, Activation, NetArrays, think
from footfall_policy.onnx_chain import OnnxChain
from footfall_policy.onnx_file import LARGEST, OnnxFile

Singles = npt.NDArray[np.float32]
Numbers = Singles | Floats


@dataclass(frozen=True, slots=True)
class Network:
    """A network as a function.

    Attributes:
        inputs: number of observations.
        outputs: number of actions.
        memory: number of values that pass from one call to the next.
        run: from observations and memory, shape (inputs + memory,), to actions and memory, shape
            (outputs + memory,).
        arrays: those of a plain network, which a kernel evaluates; else None.
    """

    inputs: int
    outputs: int
    memory: int
    run: Callable[[Singles], Singles]
    arrays: NetArrays | None = None


def read_network(path: Path, activation: str, *, trusted: bool) -> Network:
    """Read a network, ``.npz`` or ``.onnx``.

    Args:
        path: the file.
        activation: between layers of an ``.npz``; an ``.onnx`` holds its own.
        trusted: whether an ONNX network runs in this process instead of one of its own.

    Raises:
        PluginError: if it cannot be read or has something that a policy does not need.
    """
    if path.suffix == ".npz":
        return plain_network(path, activation)
    if path.suffix != ".onnx":
        raise PluginError(f"{path}: a network must be an .onnx or .npz file: export it")
    file = OnnxFile(path)
    with suppress(PluginError):  # other graphs are for onnxruntime
        chain = OnnxChain(file)
        return _compiled(path, chain.cells, chain.layers, chain.activations)
    if trusted:
        return onnx_network(path)
    return _guarded(path.resolve(), path.stat().st_mtime_ns, os.getpid())


# --- NumPy -----------------------------------------------------------------------------------


ACTIVATIONS = [kind.name.lower() for kind in Activation if kind <= Activation.SILU]
"""Names of functions between the layers of a plain network."""
_LAYER, _GATES = re.compile(r"(.*?)(\d+)\.weight"), re.compile(r"(.*)weight_ih_l(\d+)")
RECURRENT = "weight_ih", "bias_ih", "weight_hh", "bias_hh"


def plain_network(path: Path, activation: str) -> Network:
    """Read PyTorch's arrays of an MLP, or of an LSTM or GRU followed by an MLP.

    Layers are the arrays ``N.weight`` and ``N.bias``, with the prefix ``actor.`` if there is one;
    recurrent layers are ``weight_ih_l0``, ``weight_hh_l0`` and their biases. Others are not used.

    Raises:
        PluginError: if the arrays are no such network.
    """
    if activation not in ACTIVATIONS:
        hint = nearest(activation, ACTIVATIONS, "activations")
        raise PluginError(f"{path}: no activation {activation!r}{hint}")
    arrays = _arrays(path)
    own = {k: w for k, w in arrays.items() if k.startswith("actor.")} or arrays
    layers = sorted((int(m[2]), k) for k in own if (m := _LAYER.fullmatch(k)))
    found = sorted((int(m[2]), m[1]) for k in arrays if (m := _GATES.fullmatch(k)))
    weights = [
        (own[k], own.get(k[:-6] + "bias", np.zeros(own[k].shape[:1], np.float32)))
        for _, k in layers
    ]
    names = [[f"{at}{kind}_l{n}" for kind in RECURRENT] for n, at in found]
    missing = next((name for row in names for name in row if name not in arrays), None)
    if missing is not None:
        raise PluginError(f"{path}: the array {missing} is missing")
    cells = [[arrays[name] for name in row] for row in names]
    if not weights:
        raise PluginError(f"{path}: it holds no layer 0.weight, 2.weight ...")
    kind = (Activation[activation.upper()], float(activation == "elu"), 0.0)
    after = [kind] * (len(weights) - 1) + [(Activation.NONE, 0.0, 0.0)]
    return _compiled(path, cells, weights, after)


def _compiled(
    path: Path,
    cells: Sequence[Sequence[Numbers]],
    weights: Sequence[tuple[Numbers, Numbers]],
    after: Sequence[tuple[int, float, float]],
) -> Network:
    """Return recurrent layers, then layers with an activation after each, as a kernel."""
    _check_shapes(path, cells, weights)
    chain = [*(len(w[0].T) for w in cells), *(len(w.T) for w, _ in weights)]
    ends = [*(len(w[2].T) for w in cells), *(len(w) for w, _ in weights)]
    if chain[1:] != ends[:-1]:
        raise PluginError(f"{path}: its layers do not follow each other: {chain} to {ends}")
    hidden = [w[2].shape[1] for w in cells]
    gates = [len(w[2]) // n for w, n in zip(cells, hidden, strict=True)]
    memory = sum(n * (2 if g == LSTM else 1) for n, g in zip(hidden, gates, strict=True))
    parts = [w.ravel() for cell in cells for w in (cell[0].T, cell[1], cell[2].T, cell[3])]
    parts += [w.ravel() for weight, bias in weights for w in (weight.T, bias)]
    widths = [weights[0][0].shape[1], *(len(weight) for weight, _ in weights)]
    kinds, *bounds = zip(*after, strict=True)
    all_arrays = (
        *(np.zeros(chain[0] + memory), np.zeros(ends[-1] + memory), np.array(kinds, np.int64)),
        *(np.array(part, float) for part in bounds),
        *(np.array(part, np.int64) for part in (hidden, gates, widths)),
        np.concatenate(parts).astype(float),
        *np.zeros((3, max(*chain, *ends, *(len(cell[0]) for cell in cells)))),
    )
    net = NetArrays._make(all_arrays)
    if not np.isfinite(net.weights).all():
        raise PluginError(f"{path}: holds a number that is not finite")
    call = bind(think, table_of(net))

    def run(x: Singles) -> Singles:
        net.given[:] = x
        call()
        return np.asarray(net.result, np.float32)

    return Network(chain[0], ends[-1], memory, run, net)


def _check_shapes(
    path: Path, cells: Sequence[Sequence[Numbers]], layers: Sequence[tuple[Numbers, Numbers]]
) -> None:
    """Raise PluginError unless kernels may read and write what the arrays say."""
    for weight, bias in layers:
        if weight.ndim != 2 or bias.shape != weight.shape[:1]:
            told = f"weight {weight.shape}, bias {bias.shape}"
            raise PluginError(f"{path}: a layer is (outputs, inputs) with a bias each, got {told}")
    for cell in cells:
        wide = cell[2].shape[-1] if cell[2].ndim == 2 else 0
        rows = [gates * wide for gates in (GRU, LSTM)]
        shapes = [part.shape for part in cell]
        if (
            not wide
            or cell[0].ndim != 2
            or not any(shapes == [(n, shapes[0][1]), (n,), (n, wide), (n,)] for n in rows)
        ):
            raise PluginError(f"{path}: a recurrent layer is no LSTM or GRU: arrays {shapes}")


def _arrays(path: Path) -> dict[str, Singles]:
    if path.exists() and not path.is_file():
        raise PluginError(f"{path}: is no file")
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = [part.file_size for part in archive.infolist()]
        if sum(sizes) > LARGEST:
            raise PluginError(f"{path}: holds more than {LARGEST / 1e6:g} MB")
        with np.load(path, allow_pickle=False) as archive, np.errstate(over="ignore"):
            read = {name: np.asarray(archive[name]) for name in archive.files}
            odd = next((name for name, w in read.items() if w.dtype.kind not in "fiub"), None)
            if odd is not None:
                raise PluginError(f"{path}: cannot be read: {odd} holds no real numbers")
            found = {name: w.astype(np.float32) for name, w in read.items()}
    except PluginError:
        raise
    except Exception as error:  # of zip, zlib, NumPy: encrypted, damaged, too large, ...
        raise PluginError(f"{path}: cannot be read: {error}") from error
    bad = next((name for name, w in found.items() if not np.isfinite(w).all()), None)
    if bad is not None:
        raise PluginError(f"{path}: {bad} holds a number that is not finite")
    return found


# --- ONNX ------------------------------------------------------------------------------------


def onnx_network(path: Path) -> Network:
    """Load an ONNX network into this process.

    Its first input takes the observations, its first output gives the actions; further inputs and
    outputs are its memory, in the same order.

    Raises:
        PluginError: if onnxruntime is not installed or cannot load it, or its inputs and outputs
            are others.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise PluginError(
            f"an ONNX policy needs onnxruntime: {PluginError.pip('policy')}"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime's errors have no common base
        raise PluginError(f"{path}: {' '.join(str(error).split())}") from error
    ins, outs = session.get_inputs(), session.get_outputs()
    shapes, ends = ([_shape(path, each) for each in some] for some in (ins, outs))
    if not ins or len(ins) != len(outs) or shapes[1:] != ends[1:]:
        given = ", ".join(f"{each.name} {each.shape}" for each in (*ins, *outs))
        raise PluginError(f"{path}: further inputs and outputs must be its memory, got {given}")
    names, sizes = [each.name for each in ins], [int(np.prod(shape)) for shape in shapes]
    lengths = [int(np.prod(shape)) for shape in ends]

    def run(x: Singles) -> Singles:
        parts = np.split(x, np.cumsum(sizes)[:-1])
        given = {n: p.reshape(s) for n, p, s in zip(names, parts, shapes, strict=True)}
        try:
            found = [np.ravel(out) for out in session.run(None, given)]
        except Exception as error:  # as above
            raise PluginError(f"{path}: {' '.join(str(error).split())}") from error
        if [len(part) for part in found] != lengths:
            told = f"gives {[len(part) for part in found]} numbers, its file says {lengths}"
            raise PluginError(f"{path}: {told}")
        return np.concatenate(found)

    return Network(sizes[0], int(np.prod(ends[0])), sum(sizes[1:]), run)


def _shape(path: Path, port: Any) -> list[int]:
    """Return the shape of an input or output; sizes that the file leaves open are 1."""
    if port.type != "tensor(float)" or not port.shape:
        raise PluginError(f"{path}: {port.name} must be an array of float32, got {port.type}")
    if not isinstance(port.shape[-1], int):
        raise PluginError(f"{path}: the size of {port.name} is open: export it with a fixed one")
    return [size if isinstance(size, int) else 1 for size in port.shape]


STATUS = struct.Struct("i")
"""Start of each answer: 0, or the length of an error's text that follows."""
LONGEST = 2000
"""Length of an error's text, [bytes]."""
LOADING, RUNNING = 60.0, 10.0
"""Time that a network may take to load, and for one call, [s]."""
HEADER = struct.Struct("4i")
"""Answer of a new process: 0 and sizes of a network, or 1 and the length of an error's text."""


@lru_cache(maxsize=8)
def _guarded(path: Path, written: int, owner: int) -> Network:
    """Load an ONNX network in a process of its own, with limits of memory, files and time.

    Controllers share the process of a file: it keeps nothing from one call to the next.
    """
    worker = subprocess.Popen(
        [sys.executable, "-P", "-m", "footfall_policy.worker", str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        start_new_session=True,  # Ctrl-C is for this process
    )

    def ended(told: str) -> PluginError:
        _guarded.cache_clear()
        worker.kill()
        return PluginError(f"{path}: its process {told}")

    def receive(size: int, seconds: float) -> bytes:
        assert worker.stdout is not None
        found = b""
        while len(found) < size:
            ready, _, _ = select.select([worker.stdout], [], [], seconds)
            part = os.read(worker.stdout.fileno(), size - len(found)) if ready else b""
            if not part:
                told = "has ended" if ready else f"has not answered for {seconds:g} s"
                raise ended(told)
            found += part
        return found

    def run(x: Singles) -> Singles:
        assert worker.stdin is not None
        if os.getpid() != owner:
            raise PluginError(f"{path}: its process belongs to another one: load the scene here")
        with turn:
            try:
                worker.stdin.write(np.ascontiguousarray(x, np.float32).tobytes())
                answer = receive(STATUS.size + size, RUNNING)
                (length,) = STATUS.unpack_from(answer)
                if not 0 <= length <= size + LONGEST:
                    raise ended("has ended")
                if length:
                    text = answer[STATUS.size :] + receive(length - size, RUNNING)
                    ended("has ended")
                    raise PluginError(text.decode(errors="replace").rstrip())
                return np.frombuffer(answer, np.float32, offset=STATUS.size)
            except OSError as error:
                raise ended("has ended") from error
            except BaseException:  # an answer that nobody has read would be the next one's
                ended("has ended")
                raise

    turn = Lock()
    failed, inputs, outputs, memory = HEADER.unpack(receive(HEADER.size, LOADING))
    if failed:
        raise PluginError(receive(inputs, LOADING).decode())
    size = 4 * (outputs + memory)
    network = Network(inputs, outputs, memory, run)
    weakref.finalize(run, _end, worker, owner)
    return network


def _end(worker: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() != owner:
        return
    worker.kill()
    worker.wait()
    for pipe in (worker.stdin, worker.stdout):
        if pipe is not None:
            pipe.close()
