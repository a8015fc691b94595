"""Forges each number of a saved state in turn, with a right hash, and tries to go on from it.

Run in a process of its own, so that a signal is seen: ``python forging_child.py SCENE
OVERRIDES SEED PLACES``.
Prints how many states were refused and how many taken; ends with 1 and the cases that are neither.
"""

import hashlib
import json
import random
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import footfall

FLOATS = [-1.0, 0.0, 1.0, 0.5, 100.0, 1e7, 2.0**62, 1e15, 1e300, np.nan, np.inf, -np.inf]
BITS = [-1, 1, 100, 10**7, 2**62, -(2**63)]
ROOMS = [-1, 0, 1, 100, 10**7, 2**62, None, "x", 1.5]


class Forger:
    def __init__(self, scene, overrides):
        self.sim = footfall.load(scene, overrides)
        for _ in range(8):
            self.sim.step()
        self.path = Path(tempfile.mkdtemp()) / "forged.state"
        self.sim.save(self.path)
        with np.load(self.path) as data:
            self.held = {key: data[key] for key in ("vector", "grown")}
            self.header = json.loads(str(data["header"]))
        self.good, self.refused, self.taken, self.wrong = self.sim.state.copy(), 0, 0, []

    def write(self, header, arrays):
        held = arrays | {"header": np.array(json.dumps(header))}
        content = str(held["header"]).encode() + held["vector"].tobytes() + held["grown"].tobytes()
        digest = np.array(hashlib.sha256(content).hexdigest())
        with self.path.open("wb") as file:
            np.savez(file, **held, digest=digest)

    def go_on(self, what):
        """Resume from the file; it is refused in a line, or a step is made or refused so."""
        print(what, file=sys.stderr, flush=True)  # the last line tells where a signal came
        try:
            self.sim.resume(self.path)
            self.taken += 1
            for _ in range(2):
                self.sim.step()
            if not (np.isfinite(self.sim.q).all() and np.isfinite(self.sim.v).all()):
                self.wrong.append(f"{what}: a step is not finite")
        except footfall.FootfallError as error:
            self.refused += 1
            if not str(error).isprintable():
                self.wrong.append(f"{what}: more than a line: {error}")
        except Exception as error:
            self.wrong.append(f"{what}: {type(error).__name__}: {error}")
        self.sim.state.restore(self.good)

    def numbers(self, random_places, places):
        """Forge so many numbers of each part: the first, the last and others."""
        start = {"vector": 0, "grown": 0}
        for part in self.good.parts:
            which, size = "grown" if part.grows else "vector", self.good[part.name].size
            at = {0, size - 1, *(random_places.randrange(max(1, size)) for _ in range(places - 2))}
            for k in sorted(at) if size else ():
                for value in FLOATS + BITS:
                    arrays = {name: array.copy() for name, array in self.held.items()}
                    entry = arrays[which][start[which] + k :][:1]
                    (entry.view(np.int64) if isinstance(value, int) else entry)[:] = value
                    self.write(self.header, arrays)
                    self.go_on(f"{part.name}[{k}] = {value}")
            start[which] += size

    def shapes(self):
        """Forge the header's counts and order, and the arrays' types and sizes."""
        for room in ROOMS:
            self.write(self.header | {"room": room}, self.held)
            self.go_on(f"room = {room}")
        parts = self.header["parts"]
        swapped = [parts[1], parts[0], *parts[2:]]
        for changed in (swapped, parts[::-1], parts * 2, parts[1:], [[*parts[0][:1], [2**62]]]):
            self.write(self.header | {"parts": changed}, self.held)
            self.go_on(f"parts = {changed[:2]} ...")
        for name, array in self.held.items():
            odd = [array.astype(np.float32), array.astype("<U4"), array.astype(np.complex128)]
            odd += [array[:-1], np.append(array, 0.0), array[None], np.zeros(())]
            odd += [array.astype(">f8"), array.view(np.int64), np.zeros(10**6)]
            for changed in odd:
                self.write(self.header, self.held | {name: changed})
                self.go_on(f"{name}: {changed.dtype} of shape {changed.shape}")


def main(scene, overrides, seed, places):
    warnings.simplefilter("ignore")
    forger = Forger(scene, json.loads(overrides))
    forger.shapes()
    forger.numbers(random.Random(int(seed)), int(places))
    print(json.dumps({"refused": forger.refused, "taken": forger.taken}))
    print("\n".join(forger.wrong))
    return 1 if forger.wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
