"""The rocking block: it stands on one corner and strikes with the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.api.plugin import FootfallError
from footfall.testing.problems.case import Case
from footfall.testing.problems.cases import cones, point_jacobian
from footfall_validate.circumstances import prose
from footfall_validate.exhibits.exhibit import Answerer, Exhibit
from footfall_validate.exhibits.strike import strike
from footfall_validate.laws.check import Trace, trace
from footfall_validate.laws.figures import Figure

RADIUS = 0.5
"""Distance from the mass centre to a corner, [m]."""
INERTIA = RADIUS**2 / 3.0
"""Inertia about the mass centre of a thin block of 1 kg, [kg m^2]."""
MU = 0.8
TABLED = (5.0, 15.0, 30.0)
"""Angles of the table, [deg]."""
DRAWN = tuple(float(angle) for angle in range(1, 46, 4))
"""Angles of the figure, [deg]."""


def rocking(answerers: Sequence[Answerer]) -> Exhibit:
    """Return each plugin's ratio of the rates of rotation, over the angle of the block."""
    rows = [("Housner", *(f"{housner(angle):.4f}" for angle in TABLED))]
    curves: list[tuple[str, Trace]] = [
        ("Housner", trace("rocking", DRAWN, [housner(angle) for angle in DRAWN]))
    ]
    for answerer in answerers:
        rows.append((answerer.label, *(_cell(answerer, angle) for angle in TABLED)))
        if answerer.subject is not None:
            ratios = [_ratio(answerer, angle) for angle in DRAWN]
            curves.append((answerer.short, trace("rocking", DRAWN, ratios)))
    header = ("", *(f"omega+ / omega-, a = {angle:g} deg" for angle in TABLED))
    figures = {"rocking": Figure("", "a [deg]", "omega+ / omega-")}
    return Exhibit("Rocking block", prose("rocking"), header, tuple(rows), figures, tuple(curves))


def housner(degrees: float) -> float:
    """Return ``1 - 3/2 sin^2 a``."""
    return float(1.0 - 1.5 * np.sin(np.radians(degrees)) ** 2)


def block(degrees: float) -> Case:
    """Return the upright block that turns about its left corner; both corners touch."""
    a = np.radians(degrees)
    b, h = RADIUS * np.sin(a), RADIUS * np.cos(a)
    J = np.vstack([point_jacobian((x, 0.0, -h)) for x in (-b, b)])
    M = np.diag([1.0, 1.0, 1.0, INERTIA, INERTIA, INERTIA])
    v = np.array([h, 0.0, -b, 0.0, 1.0, 0.0])
    case = cones("rocking block", M, J, v, v, np.tile(np.eye(3), (2, 1, 1)))
    return replace(case, mu=np.full(2, MU))


def _ratio(answerer: Answerer, degrees: float) -> float:
    assert answerer.subject is not None
    try:
        return float(strike(answerer.subject, block(degrees)).v[4])
    except FootfallError:
        return float("nan")


def _cell(answerer: Answerer, degrees: float) -> str:
    if answerer.subject is None:
        return "not available"
    ratio = _ratio(answerer, degrees)
    return "refuses" if np.isnan(ratio) else f"{round(ratio, 4) + 0.0:.4f}"
