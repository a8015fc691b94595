"""Signals of bodies in a recording, on request (``[recorder] signals``).

``NAME`` is a signal of the body, ``foot_FIELD`` of all its feet, ``frame.LINK.FIELD`` of one frame.
If there are several bodies, ``BODY/`` before it names the body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from footfall.errors import SettingError, nearest
from footfall.interfaces.signals import BodySignals
from footfall.recording.layout import Layout, Variable, identifier
from footfall.scene.scene import Scene
from footfall.typing import Floats
from footfall_stepper.devices.signals import Signals, places
from footfall_stepper.world.body import Body
from footfall_stepper.world.world import World

Instant = Literal["start", "step"]


@dataclass(frozen=True, slots=True)
class Recordable:
    """A signal that can be recorded.

    Attributes:
        read: returns the signal, as one array or several in order.
        dims: of the array: ``nu``, ``nu_column``, ``joint``, ``foot`` and ``contact`` are those of
            the body, others are general.
        units: SI units.
        meaning: description with its frame, in one line.
        instant: ``start``: at the start of the step, like the row; ``step``: over the whole step,
            like forces and accelerations of the row.
    """

    read: Callable[[BodySignals], npt.ArrayLike]
    dims: tuple[str, ...]
    units: str
    meaning: str
    instant: Instant = "start"


def _pose(what: str) -> tuple[tuple[str, ...], str, str]:
    return ("pose_row", "pose_column"), "m or 1", f"homogeneous matrix from {what} to the world"


_MIXED = "base linear and angular along the world's axes, joints"
OF_BODY: dict[str, tuple[tuple[str, ...], str, str]] = {
    "base_pose": _pose("the root"),
    "joint_positions": (("joint",), "rad or m", "joint positions"),
    "nu": (("nu",), "m/s or rad/s", f"mixed velocity: {_MIXED}"),
    "mass_matrix": (
        ("nu", "nu_column"),
        "kg, kg m or kg m^2",
        "inertia for mixed velocities, without reflected inertia",
    ),
    "motor_inertia": (("nu", "nu_column"), "kg m^2 or kg", "reflected inertia"),
    "bias_force": (("nu",), "N or N m", f"bias force for mixed velocities: {_MIXED}"),
    "com": (("axis",), "m", "centre of mass of the body, world frame"),
    "com_velocity": (("axis",), "m/s", "velocity of the centre of mass, world axes"),
    "centroidal_momentum": (
        ("momentum",),
        "N s or N m s",
        "linear momentum and angular momentum about the centre of mass, world axes",
    ),
    "centroidal_map": (
        ("momentum", "nu"),
        "kg, kg m or kg m^2",
        "centroidal momentum for mixed velocities of one",
    ),
    "nudot": (("nu",), "m/s^2 or rad/s^2", f"mean acceleration over the step: {_MIXED}"),
    "contact_wrenches": (
        ("foot", "wrench"),
        "N or N m",
        "mean contact wrench on the foot over the step, about and along its frame",
    ),
    "contact_flags": (("contact",), "1", "whether the point touched in the step"),
}
OF_STEP = ("nudot", "contact_wrenches", "contact_flags")
"""Signals over the whole step."""
OF_FRAME: dict[str, tuple[tuple[str, ...], str, str]] = {
    "pose": _pose("the frame"),
    "jacobian": (
        ("twist", "nu"),
        "1, m or 1/m",
        "velocity of the frame's origin and angular, world axes, for mixed velocities of one",
    ),
    "velocity": (
        ("twist",),
        "m/s or rad/s",
        "velocity of the frame's origin and angular velocity, world axes",
    ),
    "jdot_nu": (
        ("twist",),
        "m/s^2 or rad/s^2",
        "classical acceleration of the frame for zero mixed accelerations, world axes",
    ),
}
FRAME = "frame."


def recordable(name: str, frames: Iterable[str]) -> Recordable:
    """Return the signal with a name, without its body.

    Args:
        name: as in the scene.
        frames: names of the body's frames.

    Raises:
        SettingError: if there is no such signal; suggests the nearest.
    """
    if name.startswith(FRAME):
        link, dot, field = name.removeprefix(FRAME).rpartition(".")
        if not dot or field not in OF_FRAME:
            allowed = ", ".join(OF_FRAME)
            hint = nearest(field, OF_FRAME)
            raise SettingError(f"{name!r} must be frame.NAME.FIELD, FIELD of {allowed}{hint}")
        if link not in frames:
            raise SettingError(f"there is no frame {link!r}{nearest(link, frames)}")
        dims, units, meaning = OF_FRAME[field]
        read = attrgetter(field)
        return Recordable(lambda b: read(b.frame(link)), dims, units, f"{link}: {meaning}")
    field = name.removeprefix("foot_")
    if name.startswith("foot_") and field in OF_FRAME:
        dims, units, meaning = OF_FRAME[field]
        read, meaning = attrgetter(field), f"of each foot: {meaning}"
        return Recordable(
            lambda b: [read(foot) for foot in b.feet.values()], ("foot", *dims), units, meaning
        )
    if name not in OF_BODY:
        known = [*OF_BODY, *(f"foot_{field}" for field in OF_FRAME), "frame.NAME.jacobian"]
        hint = nearest(name, known)
        raise SettingError(f"no signal {name!r}{hint} (signals: {', '.join(known)})")
    if name == "contact_wrenches":
        return Recordable(lambda b: list(b.contact_wrenches.values()), *OF_BODY[name], "step")
    return Recordable(attrgetter(name), *OF_BODY[name], "step" if name in OF_STEP else "start")


OWN = ("nu", "nu_column", "joint", "foot", "contact")
"""Dimensions that belong to a body."""
GENERAL: Mapping[str, tuple[str, ...]] = {
    "pose_row": ("x", "y", "z", "1"),
    "pose_column": ("x", "y", "z", "origin"),
    "momentum": ("px", "py", "pz", "lx", "ly", "lz"),
}
STANDARD = {"axis": 3, "twist": 6, "wrench": 6}
"""Dimensions that every recording has, with their sizes."""


@dataclass(frozen=True, slots=True)
class RecordedSignal:
    """One requested signal.

    Attributes:
        body: its body.
        name: as in the scene, without the body's.
        signal: its reader.
        variable: the recorded variable.
        labels: of dimensions that only this signal has, by name.
    """

    body: str
    name: str
    signal: Recordable
    variable: Variable
    labels: Mapping[str, tuple[str, ...]]


def recorded_signals(scene: Scene, world: World) -> tuple[RecordedSignal, ...]:
    """Return the signals that a scene requests to be recorded.

    Raises:
        SceneError: if a signal does not exist, or is given twice; names the key.
    """
    found: dict[str, RecordedSignal] = {}
    for number, text in enumerate(scene.recorder.signals):
        try:
            one = recorded_signal(text, world)
            if one.variable.name in found:
                raise SettingError(f"{text!r} is given twice")
        except SettingError as error:
            raise scene.error(error.reason, "recorder", "signals", number) from error
        found[one.variable.name] = one
    return tuple(found.values())


def recorded_signal(text: str, world: World) -> RecordedSignal:
    """Return the signal with a name, ``NAME`` or ``BODY/NAME``.

    Raises:
        SettingError: if there is none; suggests the nearest.
    """
    bodies = {body.name: body for body in world.bodies}
    owner, slash, name = text.partition("/")
    if not slash:
        owner, name = next(iter(bodies)), text
        if len(bodies) > 1:
            some = f"{owner}/{text}"
            raise SettingError(f"{text!r}: there are several bodies, name one, e.g. {some!r}")
    if owner not in bodies:
        raise SettingError(f"no body {owner!r}{nearest(owner, bodies)}")
    signal = recordable(name, places(bodies[owner]))
    stem = f"{identifier(owner)}_" if len(bodies) > 1 else ""
    sizes = {**STANDARD, **{dim: len(names) for dim, names in GENERAL.items()}}
    own = _own_labels(bodies[owner], world)
    dims = tuple(f"{stem}{dim}" if dim in OWN and stem else dim for dim in signal.dims)
    shape = tuple(len(own[dim]) if dim in OWN else sizes[dim] for dim in signal.dims)
    if 0 in shape:
        dim = signal.dims[shape.index(0)]
        raise SettingError(f"{text!r}: {owner} has no {'feet' if dim == 'foot' else dim + 's'}")
    labels = {
        new: own[dim] if dim in OWN else GENERAL[dim]
        for new, dim in zip(dims, signal.dims, strict=True)
        if dim not in STANDARD and (stem or dim not in ("joint", "foot", "contact"))
    }
    variable = Variable(
        f"signal_{stem}{identifier(name)}", dims, shape, signal.units, signal.meaning
    )
    return RecordedSignal(owner, name, signal, variable, labels)


def _own_labels(body: Body, world: World) -> dict[str, tuple[str, ...]]:
    """Return the labels along the dimensions of a body."""
    base = ("vx", "vy", "vz", "wx", "wy", "wz") if body.joint_offset else ()
    nu, prefix = (*base, *body.model.joint_names), f"{body.name}/"
    return {
        "nu": nu,
        "nu_column": nu,
        "joint": body.model.joint_names,
        "foot": tuple(name for name in world.foot_names if name.startswith(prefix)),
        "contact": tuple(name for name in world.contact_names if name.startswith(prefix)),
    }


class SignalRecord:
    """Writes the signals to the rows of a recording."""

    def __init__(self, wanted: Sequence[RecordedSignal], signals: Signals, layout: Layout) -> None:
        bodies = dict.fromkeys(one.body for one in wanted)
        of: dict[str, BodySignals] = {body: signals.of(body) for body in bodies}
        self._update = [signals.sources[body].update for body in bodies]
        self._of: dict[Instant, list[tuple[slice, Any, BodySignals]]] = {"start": [], "step": []}
        for one in wanted:
            place = layout.slice_of(one.variable.name)
            self._of[one.signal.instant].append((place, one.signal.read, of[one.body]))

    def begin(self, row: Floats) -> None:
        """Write the signals at a step's start, which has just been evaluated."""
        for update in self._update:
            update(evaluated=True)
        for place, read, body in self._of["start"]:
            row[place] = np.ravel(read(body))

    def end(self, row: Floats) -> None:
        """Write the signals over the completed step."""
        for place, read, body in self._of["step"]:
            row[place] = np.ravel(read(body))
