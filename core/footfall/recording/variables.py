"""The variables of a standard run: names, dimensions, units, order; each is defined here once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Self

import numpy as np

from footfall.errors import RecordingError
from footfall.recording.layout import Layout, RaggedTable, StoredType, Variable
from footfall.typing import Ints

AXES = ("x", "y", "z")
CONTACT_AXES = ("tangent_1", "tangent_2", "normal")
QUATERNION = ("x", "y", "z", "w")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
CONTACT_STATUS = ("open", "stick", "slip")
"""Meaning of the values 0, 1, 2 of ``contact_status``."""
STATUS_FLAGS = {"flag_values": list(range(3)), "flag_meanings": " ".join(CONTACT_STATUS)}
"""Attributes of arrays that hold such values."""
OF_JOINTS = {
    "joint_position": ("q", "position", "position of the joint", "m or rad"),
    "joint_velocity": ("v", "velocity", "velocity of the joint", "m/s or rad/s"),
    "joint_torque": ("tau", "velocity", "generalized force of the joint's actuator", "N or N m"),
}
"""Variables by joint: source variable, its dimension, long name and units."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Names along the dimensions of a run, in the order of its arrays.

    Attributes:
        position: entries of q.
        velocity: entries of v.
        joint: joints with one position and one velocity; their entries in q and v have the same
            name.
        contact: declared contact points.
        body: bodies, one base each.
        foot: frames of the contact features.
        loop: rows of closed loops.
        push: the scene's pushes on links; None if it has no pushes at all.
        joint_row: limits, backlash and friction of joints.
        collides: whether contacts between bodies are detected.
        more: labels of further dimensions by name, e.g. of sensors' signals.
    """

    position: tuple[str, ...]
    velocity: tuple[str, ...]
    joint: tuple[str, ...] = ()
    contact: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    foot: tuple[str, ...] = ()
    loop: tuple[str, ...] = ()
    push: tuple[str, ...] | None = None
    joint_row: tuple[str, ...] = ()
    collides: bool = False
    more: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.joint:
            if name not in self.position or name not in self.velocity:
                raise RecordingError(f"joint {name!r}: q and v have no entry of that name")


def standard_coords(labels: Labels) -> dict[str, tuple[str, ...]]:
    """Return the labels of every dimension of the standard layout."""
    pushed = {} if labels.push is None else {"push": labels.push}
    return {
        **pushed,
        "position": labels.position,
        "velocity": labels.velocity,
        "joint": labels.joint,
        "contact": labels.contact,
        "body": labels.body,
        "axis": AXES,
        "contact_axis": CONTACT_AXES,
        "quaternion": QUATERNION,
        "twist": TWIST,
        "foot": labels.foot,
        "wrench": WRENCH,
        **({"loop": labels.loop} if labels.loop else {}),
        **({"joint_row": labels.joint_row} if labels.joint_row else {}),
        **labels.more,
    }


@dataclass(frozen=True, slots=True)
class Quantity:
    """A recorded quantity, before its size is known.

    Attributes:
        units: SI units, ``"1"`` for counts and ratios.
        long_name: description with its frame, in one line.
        dims: names of its dimensions beyond time.
        dtype: type on disk.
        needs: ``push``, ``loop``, ``joint_row``, ``collision`` or ``moment`` if only runs with such
            things record it, else empty.
        attributes: further attributes of the array.
    """

    units: str
    long_name: str
    dims: tuple[str, ...] = ()
    dtype: StoredType = "float64"
    needs: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)


class Column(IntEnum):
    """Variables of a run's row, in the order of the row; the name in lower case is the variable's.

    Kernels write ``row[at[Column.GAP] + c]`` with ``at`` from ``first_entries``.
    """

    quantity: Quantity

    def __new__(cls, quantity: Quantity) -> Self:
        """Make a column and number it in the order of definition."""
        number = len(cls.__members__)
        column = int.__new__(cls, number)
        column._value_, column.quantity, column.__doc__ = number, quantity, quantity.long_name
        return column

    def variable(self, coords: Mapping[str, tuple[str, ...]]) -> Variable:
        """Return the variable, with sizes from the labels of every dimension."""
        of = self.quantity
        shape = tuple(len(coords[dim]) for dim in of.dims)
        long_name, name = of.long_name, self.name.lower()
        return Variable(name, of.dims, shape, of.units, long_name, of.dtype, of.attributes)

    TIME = Quantity("s", "time")
    Q = Quantity(
        "m, 1 or rad",
        "generalized position: base position and quaternion (x y z w), joints",
        ("position",),
    )
    V = Quantity(
        "m/s or rad/s",
        "generalized velocity: base linear and angular velocity in the base's own frame, joints",
        ("velocity",),
    )
    A = Quantity("m/s^2 or rad/s^2", "generalized acceleration over the step", ("velocity",))
    TAU = Quantity("N or N m", "generalized force of the actuators over the step", ("velocity",))
    BASE_POSITION = Quantity("m", "position of the base's origin, world frame", ("body", "axis"))
    BASE_QUATERNION = Quantity("1", "orientation of the base in the world", ("body", "quaternion"))
    BASE_VELOCITY = Quantity(
        "m/s or rad/s",
        "linear velocity of the base's origin, angular velocity of the base; world axes",
        ("body", "twist"),
    )
    COM = Quantity("m", "centre of mass of all bodies, world frame", ("axis",))
    CONTACT_FORCE = Quantity(
        "N", "mean force on the point over the step, world frame", ("contact", "axis")
    )
    CONTACT_POSITION = Quantity(
        "m",
        "place where the force acts, world frame: the contact point; rigid laws move it along the "
        "normal onto the ground",
        ("contact", "axis"),
    )
    IMPULSE = Quantity("N s", "impulse on the point, contact frame", ("contact", "contact_axis"))
    GAP = Quantity("m", "signed distance of the contact point from the ground", ("contact",))
    IN_CONTACT = Quantity("1", "whether the contact point touches the ground", ("contact",), "bool")
    CONTACT_STATUS = Quantity(
        "1", "status of the contact", ("contact",), "int8", attributes=STATUS_FLAGS
    )
    FOOT_WRENCH = Quantity(
        "N or N m",
        "mean wrench on the foot over the step, from the ground and other bodies, in the foot's "
        "frame",
        ("foot", "wrench"),
    )
    PUSH_WRENCH = Quantity(
        "N or N m",
        "mean wrench of a push over the step: force and moment about the point that is "
        "pushed, along the world's axes",
        ("push", "wrench"),
        needs="push",
    )
    EXTERNAL_FORCE = Quantity(
        "N or N m",
        "generalized force of all that pushes from outside, in base axes at a base",
        ("velocity",),
        needs="push",
    )
    KINETIC_ENERGY = Quantity("J", "kinetic energy")
    POTENTIAL_ENERGY = Quantity("J", "potential energy")
    ELASTIC_ENERGY = Quantity("J", "energy in the springs of contacts")
    DISSIPATED_ENERGY = Quantity("J", "energy dissipated since the start")
    WORK = Quantity("J", "work done by actuators, pushes and a moving ground since the start")
    INTEGRATION_ENERGY_ERROR = Quantity(
        "J", "energy added since the start by errors of the integrator"
    )
    SOLVER_RESIDUAL = Quantity("m/s", "residual that the contact law itself computes")
    RESIDUAL_NATURAL_MAP = Quantity("m/s", "natural map of the contact problem")
    RESIDUAL_SIGNORINI = Quantity("J", "max |lambda_n u_n|")
    RESIDUAL_DISSIPATION = Quantity("J", "max |(mu lambda_n - |lambda_t|) |u_t||")
    RESIDUAL_COMPLEMENTARITY = Quantity("J", "|lambda . (u + Phi(u))|, Phi = (0, 0, mu |u_t|)")
    RESIDUAL_CONE = Quantity("N s", "distance of the impulse to the cone")
    PENETRATION = Quantity("m", "largest penetration")
    SOLVER_ITERATIONS = Quantity("1", "iterations of the contact solver", dtype="int64")
    SOLVER_FAILURES = Quantity("1", "failures of the solver in the step", dtype="int64")
    IMPACTS = Quantity("1", "impacts in the step", dtype="int64")
    IMPACT_SPLITS = Quantity("1", "impacts that split the step", dtype="int64")
    UNRESOLVED_SPLITS = Quantity("1", "impacts beyond the limit max_impact_splits", dtype="int64")
    RESTITUTION_CUTS = Quantity("1", "impacts with reduced restitution", dtype="int64")
    LOOP_GAP = Quantity(
        "m or rad",
        "gap between the two ends of the loop, in the axes of the first end",
        ("loop",),
        needs="loop",
    )
    LOOP_FORCE = Quantity(
        "N or N m",
        "mean force or moment on the loop's second end over the step, in the axes of the first end",
        ("loop",),
        needs="loop",
    )
    LOOP_RANK = Quantity(
        "1", "number of independent constraints of closed loops", dtype="int64", needs="loop"
    )
    LOOP_ENERGY_ERROR = Quantity(
        "J", "part of integration_energy_error from closing the gaps of loops", needs="loop"
    )
    JOINT_ROW_FORCE = Quantity(
        "N m or N",
        "mean force of joint limits, backlash and Coulomb friction of joints over the step",
        ("joint_row",),
        needs="joint_row",
    )
    COLLISION_WRENCH = Quantity(
        "N or N m",
        "mean wrench of all detected contacts on the body over the step: force and "
        "moment about the base's origin, world axes",
        ("body", "wrench"),
        needs="collision",
    )
    CONTACT_MOMENT = Quantity(
        "N m",
        "mean moment of torsional and rolling friction over the step, world frame",
        ("contact", "axis"),
        needs="moment",
    )


def standard_layout(
    labels: Labels, tables: tuple[RaggedTable, ...] = (), more: tuple[Variable, ...] = ()
) -> Layout:
    """Return the layout of a standard run's row, without ``contact_moment``.

    Row k is the state at t_k; a, tau, forces and impulses act over [t_k, t_k+1), and residuals
    and counts belong to that step. Accumulated energies are those from the start until t_k.
    """
    coords = standard_coords(labels)
    there = {"", *coords, *(["collision"] if labels.collides else [])}
    found = [column.variable(coords) for column in Column if column.quantity.needs in there]
    return Layout((*found, *more), tables)


def first_entries(layout: Layout) -> Ints:
    """Return the first entry of each ``Column`` in a row of a layout, -1 if it has no such one."""
    return np.array([layout.starts.get(column.name.lower(), -1) for column in Column], np.int64)
