"""The first call of a plugin in a run: it has written its outputs, and changed no input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.errors import PluginError
from footfall.jit.compiling import bind
from footfall.jit.stages import LateStage, Stage
from footfall.problem.contact_problem import OUTPUTS, ContactProblem
from footfall.typing import Floats
from footfall_stepper.kernels.step.program import nothing

UNWRITTEN = -1.7e-300
"""What outputs hold before the call: no law gives it, and it is finite, unlike NaN, so that a law
that raises an error is not blamed for it."""
Inputs = Mapping[str, npt.NDArray[np.float64] | npt.NDArray[np.int64]]


class Check(LateStage):
    """A stage that calls Python until that returns true."""

    def __init__(self, done: Callable[[], bool]) -> None:
        super().__init__()
        self._done = done
        self.make(partial(bind, nothing, np.zeros(1)))

    def load(self) -> None:
        """Keep the check."""

    def _first(self) -> int:
        return super()._first() if self._done() else 0


def inputs_of(problem: ContactProblem) -> Inputs:
    """Return the arrays of a contact problem that its solvers must not change, by name."""
    arrays = problem.arrays._asdict().items()
    return {f"problem.{name}": array for name, array in arrays if name not in OUTPUTS}


class FirstCall:
    """Checks the first call of a plugin's stages; in later steps the checks are empty kernels.

    Args:
        title: of the plugin.
        inputs: arrays that it must not change, by name.
        outputs: arrays whose entries it must write, by name.
        size: its first entry is the number of entries in use; the call counts if it is positive.
    """

    def __init__(
        self,
        title: str,
        inputs: Inputs,
        outputs: Mapping[str, Floats] | None = None,
        size: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self._title, self._inputs, self._outputs = title, inputs, outputs or {}
        self._size, self._done = np.ones(1, np.int64) if size is None else size, False
        self._before: dict[str, bytes] = {}

    def around(self, stages: Sequence[Stage]) -> list[Stage]:
        """Return the stages between those of the check."""
        return [Check(self._begin).stage, *stages, Check(self._end).stage]

    def _begin(self) -> bool:
        self._before = {}
        if self._size[0] > 0 and not self._done:
            self._before = {name: _digest(array) for name, array in self._inputs.items()}
            for array in self._outputs.values():
                array[: self._size[0]] = UNWRITTEN
        return self._done

    def _end(self) -> bool:
        if self._before:
            self._done, n = True, self._size[0]
            changed = [k for k, a in self._inputs.items() if _digest(a) != self._before[k]]
            if changed:
                raise PluginError(
                    f"{self._title} has changed its input {', '.join(changed)}, which belongs to "
                    "the simulator: work on a copy"
                )
            kept = {k: np.isnan(a[:n]) | (a[:n] == UNWRITTEN) for k, a in self._outputs.items()}
            if left := [name for name, unwritten in kept.items() if unwritten.any()]:
                raise PluginError(
                    f"{self._title} has written NaN to {left[0]}, or not all of it: overwrite "
                    f"every row ({left[0]}[:] = ...)"
                )
        return self._done


def _digest(array: npt.NDArray[Any]) -> bytes:
    """Return what tells whether an array has changed, without a copy of it."""
    return sha256(np.ascontiguousarray(array).data).digest()
