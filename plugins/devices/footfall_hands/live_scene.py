"""The scene of a live run: objects that users create and delete, and its restart."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

from footfall.api.advanced import CreateObject
from footfall.api.plugin import SimulationError
from footfall_hands.objects import from_start, with_gravity, with_object, without_object

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


FRICTION = 0.5
"""Friction coefficient of objects that users create, [-]."""
COLORS = (
    (0.85, 0.37, 0.25),
    (0.25, 0.55, 0.80),
    (0.45, 0.68, 0.30),
    (0.90, 0.68, 0.20),
    (0.58, 0.42, 0.72),
)
"""Colours of objects that users create, in this order."""
MOST_BODIES = 2000
"""Largest number of bodies; users cannot create more."""

GRAVITY = tuple(f"world.gravity[{k}]" for k in range(3))
"""Keys of the components of gravity."""
STRONGEST = 20.0
"""End of the sliders of gravity, [m/s^2]."""

Attributes = dict[str, Any]


class LiveScene:
    """The builder of the changed and restarted simulators of a live run."""

    def __init__(self, sim: StepperSimulator) -> None:
        self._provenance, self._start = sim.provenance, sim.state.copy()
        self._viewer = sim.participants.visualizer
        self._created = count()
        self._gravity = sim.gravity

    def tunables(self, sim: StepperSimulator) -> tuple[Any, ...]:
        """Return the tunable values: those of the simulator, then the components of gravity.

        Sliders of joint targets end at the limits of the joints.
        """
        own = _within_limits(sim, sim.tunables())
        if not own:
            return own
        parts = zip(GRAVITY, "xyz", sim.gravity.tolist(), self._gravity.tolist(), strict=True)
        one = replace(own[0], low=-STRONGEST, high=STRONGEST, unit="m/s^2", logarithmic=False)
        gravity = [
            replace(one, path=path, value=value, label=f"gravity: {axis}", start=start)
            for path, axis, value, start in parts
        ]
        return (*own, *gravity)

    def pulled(
        self, sim: StepperSimulator, path: str, value: float
    ) -> tuple[StepperSimulator, str]:
        """Return a simulator with one component of gravity changed, and a line for the user."""
        gravity = sim.gravity.copy()
        gravity[GRAVITY.index(path)] = value
        told = ", ".join(f"{part:g}" for part in gravity)
        return with_gravity(sim, gravity), f"gravity is {told} m/s^2"

    def bodies(self, sim: StepperSimulator) -> dict[str, bool]:
        """Return all bodies, fixed ones too, and whether each can be deleted."""
        tables = sim.provenance.resolved["scene"]["bodies"] if sim.provenance.resolved else {}
        if not tables:
            return {body.name: False for body in sim.world.bodies}
        moving = [name for name, table in tables.items() if not table.get("fixed", False)]
        return {name: "shape" in table and moving != [name] for name, table in tables.items()}

    def created(self, sim: StepperSimulator, command: CreateObject) -> tuple[StepperSimulator, str]:
        """Return a simulator with one more object, and a line for the user."""
        names = self.bodies(sim).keys()
        if len(names) >= MOST_BODIES:
            raise SimulationError(f"create: there are {len(names)} bodies already")
        name = command.name or next(
            name for n in count(1) if (name := f"{command.kind}_{n}") not in names
        )
        color = command.color or COLORS[next(self._created) % len(COLORS)]
        table = {
            "shape": _shape(command),
            "base_position": list(command.position),
            "base_linear_velocity": list(command.velocity),
            "density": command.density,
            "color": list(color),
            "friction": FRICTION,
        }
        return with_object(sim, name, table), f"created {name}"

    def deleted(self, sim: StepperSimulator, body: str) -> tuple[StepperSimulator, str]:
        """Return a simulator with one object less, and a line for the user."""
        return without_object(sim, body), f"deleted {body}"

    def restarted(self) -> StepperSimulator:
        """Return a simulator of the scene and the state at the start of the run.

        It is assembled anew, without any later change.
        """
        new = from_start(self._provenance, self._viewer)
        new.state.restore(self._start)
        return new


def _within_limits(sim: StepperSimulator, tunables: tuple[Any, ...]) -> tuple[Any, ...]:
    limits = {
        f"{body.name}: target {joint}": (low, high)
        for body in sim.world.bodies
        for joint, low, high in zip(
            body.model.joint_names,
            body.model.position_lower.tolist(),
            body.model.position_upper.tolist(),
            strict=True,
        )
        if math.isfinite(low) and math.isfinite(high) and low < high
    }
    return tuple(
        replace(one, low=limits[one.label][0], high=limits[one.label][1])
        if one.label in limits
        else one
        for one in tunables
    )


def _shape(command: CreateObject) -> Attributes:
    """Return the table ``shape`` of the object to create."""
    sizes = {"box": 3, "sphere": 1, "cylinder": 2}
    size = list(command.size)
    if command.kind in sizes and len(size) != sizes[command.kind]:
        raise SimulationError(
            f"create: a {command.kind} has {sizes[command.kind]} lengths, got {len(size)}"
        )
    match command.kind:
        case "box":
            return {"type": "box", "size": size}
        case "sphere":
            return {"type": "sphere", "radius": size[0]}
        case "cylinder":
            return {"type": "cylinder", "radius": size[0], "length": size[1]}
        case "mesh":
            if command.mesh is None:
                raise SimulationError("create: a mesh needs the path of its file")
            scale = {"scale": size * (3 if len(size) == 1 else 1)} if size else {}
            return {"type": "mesh", "file": command.mesh, **scale}
    raise SimulationError(f"create: no kind {command.kind!r}: box, sphere, cylinder or mesh")
