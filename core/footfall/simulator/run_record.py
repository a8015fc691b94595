"""Origin and outcome of a run: its scene and plugins, and the report of its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from footfall.interfaces.visualizer import Node
from footfall.registry.registry import Registry


@dataclass(frozen=True, slots=True)
class Tuned:
    """A setting that was changed during the simulation.

    Attributes:
        time: simulated time of the change, [s].
        path: key in the scene.
        old: value before, in the key's own unit.
        new: value since.
    """

    time: float
    path: str
    old: float
    new: float


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a simulation, for recordings and saved states.

    Attributes:
        name: of the scene.
        resolved: the resolved scene, plain tables.
        nodes: nodes drawn by a visualizer, links numbered as in the world.
        duration: default length of a run, [s].
        interval: steps between recorded rows.
        registry: the plugins of the assembly, None if composed from objects.
        origin: the resolved scene as given, if objects have come or gone or settings were tuned
            since; None if ``resolved`` is the given scene.
        tuned: the tuned settings so far, oldest first.
    """

    name: str = "simulation"
    resolved: Mapping[str, Any] = field(default_factory=dict)
    nodes: tuple[Node, ...] = ()
    duration: float = 1.0
    interval: int = 1
    registry: Registry | None = None
    origin: Mapping[str, Any] | None = None
    tuned: tuple[Tuned, ...] = ()


@dataclass(frozen=True, slots=True)
class RunReport:
    """The figures of a run, or of the time since its last restart; ``summary`` is their table.

    Attributes:
        steps: done in this run.
        simulated: simulated time, [s].
        wall: wall-clock time of the stepping, [s].
        typical_step: wall-clock time of a step, median over stretches of 100 steps, [s], which
            excludes compiling and other work of the machine; 0 for less than one stretch.
        interrupted: whether the run was stopped before its end.
        natural_map_worst: largest natural-map residual, [m/s]; NaN in continuous time, which has
            no impulses per step.
        natural_map_median: median over the steps, to a tenth of a decade from above, [m/s].
        cone_worst: largest distance of an impulse to its cone, [N s].
        penetration_worst: [m].
        iterations: mean iterations of the contact law per step.
        solver_failures: QP solves that failed.
        impacts: instants at which velocities jumped.
        splits: parts that steps were split into at impacts.
        unresolved_splits: impacts that were not separated because a step had too many.
        restitution_cuts: impacts whose restitution was cut so that they add no energy.
        energy_start: kinetic, potential and elastic energy at the start, [J].
        energy_end: at the end, [J].
        elastic: energy stored in compliant contacts at the end, [J].
        work: done by motors and external forces, [J].
        dissipated: [J].
        integration_error: energy that the integrator added, [J].
        inner_steps: of a continuous-time integrator, 0 for others.
        evaluations: of the rates, likewise.
        events: contacts that touched, left, began to slip or to stick, likewise.
        recording: path of the recording, None if there is none.
        law: the contact law's report on its settings, pairs of name and value.
        control: the controllers' report on their work, likewise.
        alarms: problems in the run, one line each.
        notes: declared properties of laws that may surprise in this scene, one line each.
    """

    steps: int
    simulated: float
    wall: float
    typical_step: float
    interrupted: bool
    natural_map_worst: float
    natural_map_median: float
    cone_worst: float
    penetration_worst: float
    iterations: float
    solver_failures: int
    impacts: int
    splits: int
    unresolved_splits: int
    restitution_cuts: int
    energy_start: float
    energy_end: float
    work: float
    dissipated: float
    integration_error: float
    elastic: float
    inner_steps: int
    evaluations: int
    events: int
    recording: Path | None
    law: tuple[tuple[str, str], ...] = ()
    control: tuple[tuple[str, str], ...] = ()
    alarms: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def real_time_factor(self) -> float:
        """Simulated seconds per wall-clock second."""
        return self.simulated / self.wall if self.wall > 0.0 else float("inf")

    @property
    def energy_balance(self) -> float:
        """Remainder of the energy balance, [J]: zero to rounding."""
        change = self.energy_end - self.energy_start
        return change + self.dissipated - self.work - self.integration_error
