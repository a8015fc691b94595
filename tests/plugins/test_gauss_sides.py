"""What the number of the pyramid's sides decides: size and direction of friction, never lift."""

from __future__ import annotations

import numpy as np
import pytest
from tests.cases import each, first, missing
from tests.plugins.contact_cases import state_for

import footfall.testing
from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Floats
from footfall_gauss.contact import GaussDeSaxce, GaussDeSaxceConfig
from footfall_qp.proxqp import ProxQP, ProxQPConfig

MU, SPEED, WEIGHT = 0.5, 2.0, 9.81e-3
"""Friction; of the sliding point [m/s]; impulse of the weight over a step of 1 kg, [N s]."""
SIDES = (4, 6, 8, 16, 32)
ANGLES = np.radians(np.arange(2.0, 92.0, 7.0))


def slide(sides: int, angle: float) -> tuple[Floats, Floats]:
    """Impulse [N s] and velocity afterwards [m/s] of a point mass that slides at an angle."""
    law = GaussDeSaxce(GaussDeSaxceConfig(sides=sides), ProxQP(ProxQPConfig()))
    direction = np.array([np.cos(angle), np.sin(angle), 0.0])
    free = SPEED * direction - np.array([0.0, 0.0, WEIGHT])
    problem = ContactProblem.from_dense(np.eye(3), free, np.array([MU]))
    law.solve(problem, state_for(law, 1))
    return problem.impulse, free + problem.impulse


def nearest_corner(sides: int, angle: float) -> Floats:
    """The corner of the polygon around the unit circle that is nearest to a direction."""
    at = 2.0 * np.pi * (np.arange(sides) + 0.5) / sides
    corners = np.column_stack([np.cos(at), np.sin(at)]) / np.cos(np.pi / sides)
    return corners[np.argmax(corners @ [np.cos(angle), np.sin(angle)])]


@each("sides", SIDES)
@each("angle", ANGLES)
def test_friction_lies_in_the_corner_that_dissipates_most(sides: int, angle: float) -> None:
    """Its size is mu / cos(pi / n), and it is off the slip by up to pi / n."""
    impulse, _ = slide(sides, angle)
    np.testing.assert_allclose(impulse[2], WEIGHT, rtol=1e-6)
    expected = -MU * WEIGHT * nearest_corner(sides, angle)
    np.testing.assert_allclose(impulse[:2], expected, atol=1e-6 * WEIGHT)
    off = np.degrees(abs(np.arctan2(*impulse[:2][::-1]) - angle) % np.pi)
    assert min(off, 180.0 - off) <= 180.0 / sides + 1e-4


@each("sides", SIDES)
@each("angle", ANGLES[::4])
def test_no_number_of_sides_lifts_what_slides(sides: int, angle: float) -> None:
    """Within the law's tolerance of 1e-9 m/s; the discrete mode lifts by 0.8 m/s here."""
    _, after = slide(sides, angle)
    assert abs(after[2]) <= 1e-9


@pytest.mark.long
@pytest.mark.parametrize("sides", [8, pytest.param(16, marks=pytest.mark.long)])
@pytest.mark.parametrize("law", first("gauss_de_saxce", "gauss", "gauss_discrete"))
def test_the_laws_conform_with_other_pyramids(law: str, sides: int) -> None:
    footfall.testing.assert_conforms("contact", law, config={"sides": sides})


@pytest.mark.long
@pytest.mark.parametrize(
    "solver",
    [
        "quadprog",
        *(pytest.param(name, marks=pytest.mark.long) for name in ("qpoases", "qpsolvers")),
    ],
)
def test_the_repaired_law_conforms_with_other_solvers(solver: str) -> None:
    from footfall.registry.discover import discover

    entry = discover().solver[solver]
    if reason := missing(entry):
        pytest.skip(reason)
    footfall.testing.assert_conforms("contact", "gauss_de_saxce", solver=solver)
