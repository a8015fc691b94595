"""QPs of contact and impact, recorded from the bundled scenes while they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall import assemble, discover, load_scene
from footfall.api.plugin import Floats, FootfallError, PluginConfig
from footfall.api.solver import QPProblem, QPSolution, QPSolver

Start = tuple[Floats, Floats]
RECORDER = "recording"
"""Name under which scenes choose the recording solver."""


@dataclass(frozen=True, slots=True)
class Source:
    """A scene from which QPs are recorded.

    Attributes:
        title: its title, a few words.
        scene: name of a bundled scene.
        asks: the law or impact model whose QPs are recorded: ``contact`` or ``impact``, and a name.
        duration: simulated time, [s].
        overrides: further keys of the scene.
    """

    title: str
    scene: str
    asks: tuple[str, str]
    duration: float
    overrides: dict[str, Any] = field(default_factory=dict)

    @property
    def chosen(self) -> dict[str, Any]:
        """Overrides that set up the scene and record its QPs."""
        role, plugin = self.asks
        return {
            "simulation.duration": self.duration,
            **self.overrides,
            f"{role}.plugin": plugin,
            f"{role}.solver.plugin": RECORDER,
        }


STEPPED = {"integrator.plugin": "semi_implicit_euler", "simulation.time_step": 1e-3}
SOURCES = (
    Source("cube lands", "cube/drop", ("contact", "gauss_discrete"), 1.0),
    Source("cube slides", "cube/sliding", ("contact", "gauss_de_saxce"), 0.5),
    Source("box slides down", "box/slope", ("contact", "gauss_de_saxce"), 0.5),
    Source("disc falls", "disc/falling", ("contact", "gauss_discrete"), 1.0, STEPPED),
    Source("humanoid stands", "humanoid/standing", ("contact", "gauss_discrete"), 0.3),
    Source("humanoid lands", "humanoid/drop", ("contact", "gauss_discrete"), 0.4),
    Source("iCub stands (forces)", "icub/standing", ("contact", "gauss"), 0.3),
    Source("iCub lands", "icub/drop", ("contact", "gauss_discrete"), 0.4),
    Source(
        *("cube lands (impacts)", "cube/drop", ("impact", "frictional"), 1.0),
        {"contact.plugin": "gauss"},
    ),
    Source(
        *("iCub lands (impact)", "icub/drop", ("impact", "frictional"), 0.3),
        {"contact.plugin": "gauss"},
    ),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A QP passed to a solver.

    Attributes:
        problem: the QP.
        start: warm start (x, z) of the law; None if it has none.
    """

    problem: QPProblem
    start: Start | None


@dataclass(frozen=True, slots=True)
class Collection:
    """The recorded QPs of one source.

    Attributes:
        source: the source.
        asked: QPs evenly chosen from all, including the first.
        total: number of all QPs.
        error: reason why there are none; empty if there are some.
    """

    source: Source
    asked: tuple[Asked, ...] = ()
    total: int = 0
    error: str = ""


def collect(sources: Sequence[Source], count: int) -> list[Collection]:
    """Run every source and keep at most ``count`` of its QPs.

    A source that cannot run (e.g. its robot is not installed) is kept with the reason.
    """
    return [_collected(source, count) for source in sources]


def _collected(source: Source, count: int) -> Collection:
    kept: list[Asked] = []
    try:
        registry = discover()
        inner = registry.solver[registry.default("solver")].load()
        recorder = _recorder(inner, kept)
        registry.solver.add(RECORDER, lambda: recorder, summary="keeps what it is asked")
        sim = assemble(load_scene(source.scene, source.chosen, registry), registry)
        for _ in range(round(source.duration / sim.time_step)):
            sim.step()
    except FootfallError as error:
        return Collection(source, error=" ".join(str(error).split()))
    if not kept:
        return Collection(source, error="the solver got no problem")
    at = np.unique(np.linspace(0, len(kept) - 1, min(count, len(kept))).round().astype(int))
    return Collection(source, tuple(kept[k] for k in at), len(kept))


def _recorder(inner: type[Any], kept: list[Asked]) -> type[QPSolver]:
    """Return a solver that records each problem and passes it to another solver."""

    class Recorder(QPSolver):
        """Records problems and warm starts."""

        name = RECORDER
        Config = inner.Config
        capabilities = inner.capabilities

        def __init__(self, config: PluginConfig) -> None:
            self._inner: QPSolver = inner(config)

        def solve(self, problem: QPProblem, warm_start: Start | None) -> QPSolution:
            kept.append(_copy(problem, warm_start))
            return self._inner.solve(problem, warm_start)

    return Recorder


def _copy(problem: QPProblem, start: Start | None) -> Asked:
    """Return a copy of a problem, since laws reuse the arrays."""
    arrays = (problem.H, problem.g, problem.C, problem.l, problem.u)
    kept = None if start is None else (start[0].copy(), start[1].copy())
    return Asked(QPProblem(*(array.copy() for array in arrays)), kept)
