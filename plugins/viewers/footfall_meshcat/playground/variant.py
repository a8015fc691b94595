"""A simulator as a page takes it: its memory in another place, and where it finds what it shows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from footfall import load, load_scene
from footfall.api.plugin import (
    Floats,
    FootfallError,
    Ints,
    PluginError,
    SimulationError,
)
from footfall_stepper.api import Drawing, Memory, Moved, StepProgram, stepped

FIRST_STEPS = 500
"""Steps that are made before the memory is taken: contacts find room, first calls are checked."""
USUAL = "coulomb", "compliant"
"""Laws whose steps are kernels."""
CONTINUOUS = "continuous time"
"""Name of the part of a step that an integrator with adaptive steps makes."""
EXACT = 1e-12
"""Relative error of a word that follows a setting, [-]."""


class PageWarning(UserWarning):
    """A page leaves something out."""


class Variant:
    """A scene under one contact law.

    Args:
        scene: see ``footfall.load``.
        overrides: likewise.
        law: contact law.

    Attributes:
        law: its name.
        sim: the simulator, at its start; its steps are those that the page makes.
        drawing: what a page shows of it.
        memory: of its step.

    Raises:
        PluginError: if a part of its step is Python; names it.
    """

    def __init__(self, scene: str, overrides: Mapping[str, Any], law: str) -> None:
        self.law, self.sim = law, stepped(load(scene, {**overrides, "contact.plugin": law}))
        sim = self.sim
        self._require_kernels()
        start = sim.state.copy()
        sim.push(next(iter(sim.world.link_names)))  # from now on steps have pushes
        for _ in range(FIRST_STEPS):
            sim.step()
        sim.state.restore(start)
        self.drawing: Drawing = sim.drawing()
        self.memory = Memory(self._program)

    @property
    def _program(self) -> StepProgram:
        return self.sim.stepper.program

    def _require_kernels(self) -> None:
        sim = self.sim
        python = list(self._program.python)
        if self.drawn_by_python:
            python.append("the ground's motion")
        if python:
            fixed = ": set integrator.plugin=semi_implicit_euler and a short simulation.time_step"
            raise PluginError(
                f"a page cannot run Python; under {self.law}, parts of the step need it: "
                f"{', '.join(python)}{fixed if CONTINUOUS in python else ''}"
            )
        if not sim.world.n_links:
            raise PluginError("a page shows bodies that move: the scene has none")

    @property
    def drawn_by_python(self) -> bool:
        """Whether the poses of a frame need Python: those of a ground that moves."""
        return self.sim.drawing().graph().ground_link is not None

    def header(self, moved: Moved, kernels: Mapping[str, int]) -> dict[str, Any]:
        """Return what the page needs to step and show this variant, as JSON.

        Args:
            moved: the memory.
            kernels: places of functions in the module by name.
        """
        sim, world, program = self.sim, self.sim.stepper.world, self._program
        whole, collisions = program.whole, sim.stepper.collisions
        pushes, plan = world.pushes, sim.pushes.plan
        arrays: dict[str, Floats | Ints] = {
            "count": whole.cells[-2],
            "source": whole.cells[-1],
            "row": program.rows,
            "tick": program.now,
            "q": sim.q,
            "v": sim.v,
            "pose": world.dynamics.pose,
            "position": world.candidates.position,
            "force": world.candidates.force,
            "push_link": pushes.link,
            "push_frame": pushes.frame,
            "push_point": pushes.point,
            "push_wrench": pushes.wrench,
            "push_count": plan.wrenches,
        }
        if collisions is not None:
            found = world.detected
            arrays |= {
                "found": collisions.counted,
                "found_force": found.force,
                "found_position": found.position,
                "found_normal": found.normal,
                "found_friction": found.friction,
                "found_status": found.status,
                "found_link": found.link,
            }
        bodies, signals = world.topology, self.drawing.signals()
        return {
            "law": self.law,
            "base": moved.base,
            "size": len(moved.image),
            "calls": moved.calls,
            "function": kernels[self.memory.kernels[whole.function].name],
            "frame": moved.address(whole.frame),
            "at": {name: moved.address(array.ctypes.data) for name, array in arrays.items()},
            "nq": len(sim.q),
            "nv": len(sim.v),
            "links": world.n_links,
            "points": world.n_contacts,
            "width": program.width,
            "com": sim.layout.starts["com"],
            "signals": signals,
            "columns": [sim.layout.starts[name] for name, *_ in signals],
            "step": sim.time_step,
            "masses": bodies.mass.tolist(),
            "trees": bodies.link_tree.tolist(),
            "tunables": [*self._tunables(moved)],
        }

    def _tunables(self, moved: Moved) -> Iterator[dict[str, Any]]:
        """Yield the settings whose words a page can write, with those words."""
        for one in self.sim.tunables():
            try:
                words = self._words(one.path, one.low, one.high, one.value)
            except SimulationError:
                continue  # its check refuses a value, or it needs another step
            if words:
                own = {"value": one.value, "start": one.value, "logarithmic": one.logarithmic}
                told = {key: getattr(one, key) for key in ("path", "low", "high", "unit", "label")}
                placed = [[moved.address(int(word)), *factors] for word, *factors in words]
                yield {**told, **own, "words": placed}
        gravity = self.sim.stepper.world.topology.gravity
        down, at = float(gravity[2]), moved.address(gravity[2:].ctypes.data)
        yield {
            **{"path": "world.gravity.2", "low": -20.0, "high": 0.0, "unit": "m/s^2"},
            **{"label": "world: gravity along z", "logarithmic": False},
            **{"value": down, "start": down, "words": [[at, 1.0, 0.0, 0.0]]},
        }

    def _words(self, path: str, low: float, high: float, start: float) -> list[list[float]]:
        """Return the words that follow a setting x: address, and a, b, c of (a x + b) / (c x + 1).

        Empty if a word follows it in another way, or none does. Three values give the factors; two
        others must agree. So are friction of pairs (harmonic means), gains, limits.
        """
        program, values = self._program, low + (high - low) * np.array([0.9, 0.5, 0.3, 0.7, 0.2])
        try:
            taken = [self._taken(path, float(x)) for x in values]
        finally:
            before = self._taken(path, start)
        if self._program is not program:
            raise SimulationError(f"{path} makes another step")
        changed = np.flatnonzero((np.array(taken) != before).any(axis=0))
        places, found = self.memory.places(), []
        for word in changed:
            y = np.array([words[word] for words in taken]).view(np.float64)
            factors = factors_of(values, y)
            if factors is None:
                return []
            found.append([int(places[word]), *factors])
        return found

    def _taken(self, path: str, value: float) -> Ints:
        self.sim.tune(path, value)
        return self.memory.words()


def factors_of(x: Floats, y: Floats) -> tuple[float, float, float] | None:
    """Return a, b, c of y = (a x + b) / (c x + 1) through three points; None if others differ."""
    if not np.isfinite(y).all():
        return None
    slope = (y[1] - y[0]) / (x[1] - x[0])
    lines = [(slope, y[0] - slope * x[0], 0.0)]
    system = np.column_stack([x[:3], np.ones(3), -x[:3] * y[:3]])
    if np.linalg.matrix_rank(system) == 3:
        lines.append(tuple(np.linalg.solve(system, y[:3]).tolist()))
    for a, b, c in lines:
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.abs((a * x + b) / (c * x + 1.0) - y)
        if (error <= EXACT * np.abs(y).max()).all():
            return float(a), float(b), float(c)
    return None


def chosen_variants(
    scene: str, overrides: Mapping[str, Any], laws: Sequence[str] | None
) -> list[Variant]:
    """Return the variants of a page.

    Args:
        scene: see ``footfall.load``.
        overrides: likewise.
        laws: contact laws; None: the scene's own, and ``USUAL`` ones where they fit.

    Raises:
        FootfallError: if the scene cannot be loaded, or a given law, or each one, does not fit.
    """
    own = load_scene(scene, overrides).contact.plugin
    variants, refused = [], []
    for law in dict.fromkeys(laws or (own, *USUAL)):
        try:
            variants.append(Variant(scene, overrides, law))
        except FootfallError as error:
            if laws:
                raise
            refused.append(error)
    if not variants:
        raise refused[0]
    for reason in refused:
        warnings.warn(f"left out: {reason}", PageWarning, stacklevel=2)
    return variants
