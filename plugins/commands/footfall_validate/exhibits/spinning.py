"""A ball that lands with spin: friction and restitution in one impact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.testing.problems.case import Case
from footfall.testing.problems.cases import cones, point_jacobian
from footfall_validate.circumstances import prose
from footfall_validate.exhibits.exhibit import Answerer, Exhibit

RADIUS, INERTIA = 0.1, 0.4 * 0.1**2
"""Radius [m], and inertia of a solid ball of 1 kg [kg m^2]."""
MU = 0.2
SURFACE = 2.0
"""Speed of the ball's surface, [m/s]."""
DIRECTION = np.array([np.cos(np.pi / 8.0), np.sin(np.pi / 8.0), 0.0])
"""Direction of the friction force: 22.5 degrees from a tangent axis, where pyramids deflect it."""


def spinning(answerers: Sequence[Answerer]) -> Exhibit:
    """Return each plugin's velocity of the ball after the impact."""
    rows: list[tuple[str, ...]] = []
    for e in (1.0, 0.0):
        rows.append((f"Coulomb, e = {e:g}", f"{e:g}", f"{MU * (1.0 + e):.3f}", "0.000", f"{e:.3f}"))
    rows += [(answerer.label, f"{answerer.e:g}", *_cells(answerer)) for answerer in answerers]
    header = ("", "e", "pushed along [m/s]", "aside [m/s]", "rebound [m/s]")
    return Exhibit("Spinning ball", prose("spinning"), header, tuple(rows))


def spinning_ball(e: float) -> Case:
    """Return the ball as it touches the ground."""
    J = point_jacobian((0.0, 0.0, -RADIUS))
    M = np.diag([1.0, 1.0, 1.0, INERTIA, INERTIA, INERTIA])
    # The lowest point moves with -r w x n, against the direction of friction.
    turn = SURFACE / RADIUS * np.cross([0.0, 0.0, 1.0], DIRECTION)
    v = np.concatenate([[0.0, 0.0, -1.0], turn])
    case = cones("spinning ball", M, J, v, v, np.eye(3)[None])
    return replace(case, mu=np.array([MU]), restitution=np.array([e]))


def _cells(answerer: Answerer) -> tuple[str, str, str]:
    outcome = answerer.played(spinning_ball(answerer.e))
    if isinstance(outcome, str):
        return outcome, "", ""
    aside = np.cross([0.0, 0.0, 1.0], DIRECTION)
    parts = [float(outcome.v[:3] @ axis) for axis in (DIRECTION, aside, np.array([0.0, 0.0, 1.0]))]
    shown = [f"{round(part, 3) + 0.0:.3f}" for part in parts]
    return shown[0], shown[1], shown[2] + ("" if outcome.ended else " and on")
