"""The variables of a standard run: names, dimensions, units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from footfall.errors import RecordingError
from footfall.recording.layout import Layout, RaggedTable, Variable

AXES = ("x", "y", "z")
CONTACT_AXES = ("tangent_1", "tangent_2", "normal")
QUATERNION = ("x", "y", "z", "w")
TWIST = ("vx", "vy", "vz", "wx", "wy", "wz")
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")
CONTACT_STATUS = ("open", "stick", "slip")
"""Meaning of the values 0, 1, 2 of ``contact_status``."""


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
        joint_row: limits and friction of joints.
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


def standard_layout(
    labels: Labels, tables: tuple[RaggedTable, ...] = (), more: tuple[Variable, ...] = ()
) -> Layout:
    """Return the layout of a standard run's row.

    Row k is the state at t_k; a, tau, forces and impulses act over [t_k, t_k+1), and residuals
    and counts belong to that step. Accumulated energies are those from the start until t_k.
    """
    return Layout(
        (
            Variable("time", units="s", long_name="time"),
            *_motion(len(labels.position), len(labels.velocity)),
            *_bodies(len(labels.body)),
            *_contacts(len(labels.contact)),
            _wrench("foot_wrench", "foot", len(labels.foot)),
            *_pushes(labels),
            *_ENERGIES,
            *_RESIDUALS,
            *_COUNTS,
            *(loop_variables(len(labels.loop)) if labels.loop else ()),
            *((_joint_row_force(len(labels.joint_row)),) if labels.joint_row else ()),
            *((_wrench("collision_wrench", "body", len(labels.body)),) if labels.collides else ()),
            *more,
        ),
        tables,
    )


def _joint_row_force(n: int) -> Variable:
    meaning = "mean force over the step of limits and Coulomb friction of joints"
    return Variable("joint_row_force", ("joint_row",), (n,), "N m or N", meaning)


def contact_moment(n: int) -> Variable:
    """Return the variable of friction moments at n contacts."""
    meaning = "mean moment of torsional and rolling friction over the step, world frame"
    return Variable("contact_moment", ("contact", "axis"), (n, 3), "N m", meaning)


def loop_variables(n: int) -> tuple[Variable, ...]:
    """Return the variables of n rows of closed loops."""
    force = "mean force or moment of the loop on its second end over the step, first end's axes"
    rank = "rows of closed loops that do not follow from others"
    energy = "part of integration_energy_error that is due to closing gaps"
    gap = "by how much the loop is open, along the first end's axes"
    return (
        Variable("loop_gap", ("loop",), (n,), "m or rad", gap),
        Variable("loop_force", ("loop",), (n,), "N or N m", force),
        Variable("loop_rank", long_name=rank, dtype="int64"),
        Variable("loop_energy_error", units="J", long_name=energy),
    )


def _motion(nq: int, nv: int) -> tuple[Variable, ...]:
    def of_velocity(name: str, units: str, long_name: str) -> Variable:
        return Variable(name, ("velocity",), (nv,), units, long_name)

    q = "generalized position: base position and quaternion (x y z w), joints"
    v = "generalized velocity: base linear and angular velocity in the base's own frame, joints"
    return (
        Variable("q", ("position",), (nq,), "m, 1 or rad", q),
        of_velocity("v", "m/s or rad/s", v),
        of_velocity("a", "m/s^2 or rad/s^2", "generalized acceleration over the step"),
        of_velocity("tau", "N or N m", "generalized force of the actuators over the step"),
    )


def _bodies(n: int) -> tuple[Variable, ...]:
    def of_body(name: str, dim: str, size: int, units: str, long_name: str) -> Variable:
        return Variable(name, ("body", dim), (n, size), units, long_name)

    velocity = "base linear and angular velocity, mixed: of the base's origin, along world axes"
    return (
        of_body("base_position", "axis", 3, "m", "position of the base's origin, world frame"),
        of_body("base_quaternion", "quaternion", 4, "1", "orientation of the base in the world"),
        of_body("base_velocity", "twist", 6, "m/s or rad/s", velocity),
        Variable("com", ("axis",), (3,), "m", "centre of mass of all bodies, world frame"),
    )


def _contacts(n: int) -> tuple[Variable, ...]:
    def vector(name: str, dim: str, units: str, long_name: str) -> Variable:
        return Variable(name, ("contact", dim), (n, 3), units, long_name)

    status = {"flag_values": list(range(3)), "flag_meanings": " ".join(CONTACT_STATUS)}
    on = ("contact",), (n,)
    return (
        vector("contact_force", "axis", "N", "mean force on the point over the step, world frame"),
        vector("contact_position", "axis", "m", "position of the contact point, world frame"),
        vector("impulse", "contact_axis", "N s", "impulse on the point, contact frame"),
        Variable("gap", *on, "m", "signed distance of the contact point from the ground"),
        Variable("in_contact", *on, "1", "whether the contact point touches the ground", "bool"),
        Variable("contact_status", *on, "1", "status of the contact", "int8", status),
    )


_WRENCHES = {
    "collision_wrench": "mean wrench of all detected contacts on the body over the step: force and "
    "moment about the base's origin, world axes",
    "foot_wrench": "mean wrench of the ground and other bodies on the foot over the step: force "
    "and moment about the origin of the foot's frame, sum of p x f, along that frame's axes",
    "push_wrench": "mean wrench of a push over the step: force and moment about the point that is "
    "pushed, along the world's axes",
}


def _wrench(name: str, on: str, n: int) -> Variable:
    return Variable(name, (on, "wrench"), (n, 6), "N or N m", _WRENCHES[name])


def _pushes(labels: Labels) -> tuple[Variable, ...]:
    """Return the variables of pushes, none if the scene has no pushes."""
    if labels.push is None:
        return ()
    force = "generalized force of all that pushes from outside, in base axes at a base"
    n, nv = len(labels.push), len(labels.velocity)
    return (
        _wrench("push_wrench", "push", n),
        Variable("external_force", ("velocity",), (nv,), "N or N m", force),
    )


def _numbers(units: str, **meanings: str) -> tuple[Variable, ...]:
    """Return variables of one number each, with the same units, from their long names."""
    return tuple(Variable(name, units=units, long_name=text) for name, text in meanings.items())


_ENERGIES = _numbers(
    "J",
    kinetic_energy="kinetic energy",
    potential_energy="potential energy",
    elastic_energy="energy held by compliant contacts",
    dissipated_energy="energy dissipated since the start",
    work="work done by actuators, pushes and a moving ground since the start",
    integration_energy_error="energy added since the start by the integrator's own error",
)
_RESIDUALS = (
    *_numbers("m/s", solver_residual="the contact law's own residual"),
    *_numbers("m/s", residual_natural_map="natural map of the contact problem"),
    *_numbers("J", residual_signorini="max |lambda_n u_n|"),
    *_numbers("J", residual_dissipation="max |(mu lambda_n - |lambda_t|) |u_t||"),
    *_numbers("J", residual_complementarity="|lambda . (u + Phi(u))|, Phi = (0, 0, mu |u_t|)"),
    *_numbers("N s", residual_cone="distance of the impulse to the cone"),
    *_numbers("m", penetration="largest penetration"),
)
_COUNTS = (
    Variable("solver_iterations", long_name="iterations of the contact solver", dtype="int64"),
    Variable("solver_failures", long_name="failures of the solver in the step", dtype="int64"),
    Variable("impacts", long_name="impacts in the step", dtype="int64"),
    Variable("impact_splits", long_name="impacts at which the step was split", dtype="int64"),
    Variable("unresolved_splits", long_name="impacts left unsplit by the limit", dtype="int64"),
    Variable("restitution_cuts", long_name="impacts with restitution cut", dtype="int64"),
)
