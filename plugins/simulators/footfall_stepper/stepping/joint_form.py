"""The form of limits and Coulomb friction of joints: rows of the contact problem, or springs."""

from __future__ import annotations

import numpy as np

from footfall.interfaces.contact import ContactModel, ImpactModel
from footfall.problem.arrays import BlockKind
from footfall.typing import Floats
from footfall_stepper.kernels.dynamics.joint_springs import CREEP
from footfall_stepper.world.joint_rows import JointRowForm, JointRowUse
from footfall_stepper.world.world import World

SPRING_FREQUENCY = 200.0
"""Frequency of the critically damped springs that replace limits, with the joint's own
inertia, [rad/s]."""


def choose_form(world: World, law: ContactModel, impact: ImpactModel) -> Floats:
    """Choose the form of limits and friction: rows of the problem, or springs if the law has none.

    A law that resolves impacts by itself also gets the limits in impacts. Returns the sign with
    which each row's impulse is recorded: that of a limit's side.
    """
    rows = world.joint_rows
    if world.joint_row_names:
        takes = {BlockKind.UNILATERAL, BlockKind.BOX} <= law.blocks
        rows.active[JointRowUse.FORM] = (
            JointRowForm.IN_PROBLEM if takes else JointRowForm.AS_SPRINGS
        )
        rows.active[JointRowUse.IN_IMPACTS] = int(takes and not impact.acts)
    # For friction 1, for any sum of speeds.
    return np.where(rows.kind == BlockKind.UNILATERAL, rows.sign, 1.0)


def stiffen(world: World) -> None:
    """Set the springs' gains from the joints' inertia M at the start: ``M w^2`` and ``2 M w``.

    Also sets the speed of creep of turning and of sliding joints.
    """
    rows, topology = world.joint_rows, world.topology
    tree = np.searchsorted(topology.tree_v, rows.dof, side="right") - 1
    first = topology.tree_v[tree]
    n = topology.tree_v[tree + 1] - first
    inertia = world.dynamics.M[topology.tree_M[tree] + (rows.dof - first) * (n + 1)]
    limits = rows.kind == BlockKind.UNILATERAL
    turning = world.dynamics.S[rows.dof, 3:].any(axis=1)
    rows.creep[:] = CREEP * np.where(turning, 1.0, world.metre)
    rows.stiffness[:] = np.where(limits, inertia * SPRING_FREQUENCY**2, 0.0)
    rows.damping[:] = np.where(limits, 2.0 * inertia * SPRING_FREQUENCY, 0.0)


def stand_ins(world: World) -> tuple[tuple[str, str], ...]:
    """Return the replacements of limits and friction, for the summary of a run; empty if none."""
    rows = world.joint_rows
    if rows.active[JointRowUse.FORM] != JointRowForm.AS_SPRINGS:
        return ()
    limits, found = rows.kind == BlockKind.UNILATERAL, []
    if limits.any():
        gains = [_range(g[limits]) for g in (rows.stiffness, rows.damping)]
        units = "N m/rad or N/m", "N m s/rad or N s/m"
        shown = ", ".join(f"{gain} {unit}" for gain, unit in zip(gains, units, strict=True))
        found.append(("joint limits", f"springs, because the law has no joint rows: {shown}"))
    if not limits.all():
        slow = f"creeps below {CREEP:g} rad/s or m/s"
        found.append(("joint friction", f"regularised, because the law has no joint rows: {slow}"))
    return tuple(found)


def _range(values: Floats) -> str:
    low, high = f"{values.min():.3g}", f"{values.max():.3g}"
    return low if low == high else f"{low} to {high}"
