"""The process of an ONNX network: it may use little memory and write no file."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import numpy as np

from footfall.api.plugin import PluginError
from footfall_policy.network import HEADER, LONGEST, STATUS, onnx_network

MEMORY = 4 << 30
"""Greatest address space, [bytes]."""


def main(path: Path) -> None:
    """Load a network and answer until the other process ends."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    try:
        network = onnx_network(path)
    except PluginError as error:
        text = str(error).encode()
        sys.stdout.buffer.write(HEADER.pack(1, len(text), 0, 0) + text)
        return
    out, size = sys.stdout.buffer, 4 * (network.inputs + network.memory)
    out.write(HEADER.pack(0, network.inputs, network.outputs, network.memory))
    out.flush()
    while len(given := sys.stdin.buffer.read(size)) == size:
        try:
            answer = network.run(np.frombuffer(given, np.float32)).astype(np.float32).tobytes()
            out.write(STATUS.pack(0) + answer)
        except PluginError as error:
            text = str(error).encode()[:LONGEST].ljust(4 * (network.outputs + network.memory))
            out.write(STATUS.pack(len(text)) + text)
        out.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
