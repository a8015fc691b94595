"""The signals that a recording can hold: how they are called, their dimensions and units.

``NAME`` is a signal of the body, ``foot_FIELD`` of all its feet, ``frame.LINK.FIELD`` of one frame;
``BODY/`` before it says whose, where there are several bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy.typing as npt

from footfall.errors import SettingError, nearest
from footfall.interfaces.signals import BodySignals, FrameSignals
from footfall.typing import Floats

Instant = Literal["start", "step"]


@dataclass(frozen=True, slots=True)
class Recordable:
    """A signal that can be recorded.

    Attributes:
        read: returns it, an array or arrays one after another.
        dims: of the array: ``nu``, ``nu_column``, ``joint``, ``foot`` and ``contact`` are those of
            the body, others are general.
        units: SI units.
        meaning: what it is, with its frame, in one line.
        instant: ``start``: of the start of the step, as the row; ``step``: of the step as a whole,
            as forces and accelerations of the row are.
    """

    read: Callable[[BodySignals], npt.ArrayLike]
    dims: tuple[str, ...]
    units: str
    meaning: str
    instant: Instant = "start"


def _pose(what: str) -> tuple[tuple[str, ...], str, str]:
    return ("pose_row", "pose_column"), "m or 1", f"homogeneous matrix from {what} to the world"


_MIXED = "base linear and angular along the world's axes, joints"
OF_BODY: dict[str, Recordable] = {
    "base_pose": Recordable(lambda b: b.base_pose, *_pose("the root")),
    "joint_positions": Recordable(
        lambda b: b.joint_positions, ("joint",), "rad or m", "joint positions"
    ),
    "nu": Recordable(lambda b: b.nu, ("nu",), "m/s or rad/s", f"mixed velocity: {_MIXED}"),
    "mass_matrix": Recordable(
        lambda b: b.mass_matrix,
        ("nu", "nu_column"),
        "kg, kg m or kg m^2",
        "inertia for mixed velocities, without reflected inertia",
    ),
    "motor_inertia": Recordable(
        lambda b: b.motor_inertia, ("nu", "nu_column"), "kg m^2 or kg", "reflected inertia"
    ),
    "bias_force": Recordable(
        lambda b: b.bias_force, ("nu",), "N or N m", f"bias force for mixed velocities: {_MIXED}"
    ),
    "com": Recordable(lambda b: b.com, ("axis",), "m", "centre of mass of the body, world frame"),
    "com_velocity": Recordable(
        lambda b: b.com_velocity, ("axis",), "m/s", "velocity of the centre of mass, world axes"
    ),
    "centroidal_momentum": Recordable(
        lambda b: b.centroidal_momentum,
        ("momentum",),
        "N s or N m s",
        "linear momentum and angular momentum about the centre of mass, world axes",
    ),
    "centroidal_map": Recordable(
        lambda b: b.centroidal_map,
        ("momentum", "nu"),
        "kg, kg m or kg m^2",
        "centroidal momentum for mixed velocities of one",
    ),
    "nudot": Recordable(
        lambda b: b.nudot,
        ("nu",),
        "m/s^2 or rad/s^2",
        f"mean acceleration over the step: {_MIXED}",
        "step",
    ),
    "contact_wrenches": Recordable(
        lambda b: list(b.contact_wrenches.values()),
        ("foot", "wrench"),
        "N or N m",
        "mean wrench of what touches the foot over the step, about and along its frame",
        "step",
    ),
    "contact_flags": Recordable(
        lambda b: b.contact_flags,
        ("contact",),
        "1",
        "whether the point touched in the step",
        "step",
    ),
}
OF_FRAME: dict[str, tuple[Callable[[FrameSignals], Floats], tuple[str, ...], str, str]] = {
    "pose": (lambda f: f.pose, *_pose("the frame")),
    "jacobian": (
        lambda f: f.jacobian,
        ("twist", "nu"),
        "1, m or 1/m",
        "velocity of the frame's origin and angular, world axes, for mixed velocities of one",
    ),
    "velocity": (
        lambda f: f.velocity,
        ("twist",),
        "m/s or rad/s",
        "velocity of the frame's origin and angular velocity, world axes",
    ),
    "jdot_nu": (
        lambda f: f.jdot_nu,
        ("twist",),
        "m/s^2 or rad/s^2",
        "classical acceleration of the frame for zero mixed accelerations, world axes",
    ),
}
FRAME = "frame."


def recordable(name: str, frames: Iterable[str]) -> Recordable:
    """Return the signal of a name, without its body.

    Args:
        name: as in the scene.
        frames: names of the body's frames.

    Raises:
        SettingError: if there is none of that name; offers the nearest.
    """
    if name.startswith(FRAME):
        link, dot, field = name.removeprefix(FRAME).rpartition(".")
        if not dot or field not in OF_FRAME:
            allowed = ", ".join(OF_FRAME)
            hint = nearest(field, OF_FRAME)
            raise SettingError(f"{name!r} must be frame.NAME.FIELD, FIELD of {allowed}{hint}")
        if link not in frames:
            raise SettingError(f"there is no frame {link!r}{nearest(link, frames)}")
        read, dims, units, meaning = OF_FRAME[field]
        return Recordable(lambda b: read(b.frame(link)), dims, units, f"{link}: {meaning}")
    field = name.removeprefix("foot_")
    if name.startswith("foot_") and field in OF_FRAME:
        read, dims, units, meaning = OF_FRAME[field]
        return Recordable(
            lambda b: [read(foot) for foot in b.feet.values()],
            ("foot", *dims),
            units,
            f"of each foot: {meaning}",
        )
    if name not in OF_BODY:
        known = [*OF_BODY, *(f"foot_{field}" for field in OF_FRAME), "frame.NAME.jacobian"]
        hint = nearest(name, known)
        raise SettingError(f"no signal {name!r}{hint} (signals: {', '.join(known)})")
    return OF_BODY[name]
