"""The gauss laws in whole simulations: no solve fails, runs continue, artefacts are as declared."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cases import first
from tests.plugins.solver_cases import VARIANTS

import footfall

LAWS = {
    "gauss": {"contact.plugin": "gauss", "impact.plugin": "inelastic"},
    "gauss_discrete": {"contact.plugin": "gauss_discrete"},
    "gauss_de_saxce": {"contact.plugin": "gauss_de_saxce"},
}
RESUME = """
import sys, footfall
sim = footfall.load(sys.argv[1], overrides=eval(sys.argv[3]))
sim.resume(sys.argv[2])
for _ in range(int(sys.argv[4])):
    sim.step()
print(sim.q.tobytes().hex() + sim.v.tobytes().hex())
"""


@pytest.mark.parametrize("law", LAWS)
def test_a_tumbling_cube_lands_and_no_solve_fails(law: str) -> None:
    run = footfall.load("cube/drop", overrides=LAWS[law]).run(duration=1.0)
    assert run.solver_failures.sum() == 0
    weight = run.attrs["weight"]
    carried = run.contact_force.sel(axis="z").sum("contact")[-100:]
    np.testing.assert_allclose(carried, weight, rtol=1e-6)


@pytest.mark.parametrize("variant", first(*VARIANTS, runs=4))
def test_any_solver_lands_the_cube(variant: Any) -> None:
    cls, keys = variant
    solver = {"contact.solver.plugin": cls.name} | {f"contact.solver.{k}": keys[k] for k in keys}
    overrides = LAWS["gauss_discrete"] | solver
    run = footfall.load("cube/drop", overrides=overrides).run(duration=0.6)
    assert run.solver_failures.sum() == 0
    carried = run.contact_force.sel(axis="z").sum("contact")[-50:]
    np.testing.assert_allclose(carried, run.attrs["weight"], rtol=1e-5)


def test_discrete_mode_hops_where_coulomb_slides() -> None:
    def highest(law: dict[str, str]) -> float:
        run = footfall.load("cube/sliding", overrides=law).run(duration=0.2)
        return float(run.gap.min("contact").max())

    assert highest(LAWS["gauss_discrete"]) > 0.05
    assert highest({"contact.plugin": "coulomb"}) < 1e-3


@pytest.mark.parametrize("sides", first(4, 16))
def test_the_fixed_point_slides_as_coulomb_does(sides: int) -> None:
    """``v^2 / (2 mu g)`` less the scheme's ``v dt / 2``, along a face of the pyramid; no rise."""
    overrides = LAWS["gauss_de_saxce"] | {"contact.sides": sides}
    run = footfall.load("cube/sliding", overrides=overrides).run(duration=1.5)
    base = run.base_position.sel(body="cube")
    way, rise = float(base.sel(axis="x")[-1]), float((base.sel(axis="z") - 0.05).max())
    assert way == pytest.approx(36.0 / (2.0 * 0.5 * 9.81) - 3e-3, abs=1e-4)
    assert rise < 1e-9
    assert run.solver_failures.sum() == 0


def test_continuous_mode_glides_for_ever() -> None:
    # With no impact model: a corner that leaves by rounding and returns would stop the cube dead.
    overrides = LAWS["gauss"] | {"impact.plugin": "none"}
    run = footfall.load("cube/sliding", overrides=overrides).run(duration=0.5)
    q = run.q.values
    speed = np.diff(q[:, :2], axis=0) / 1e-3
    np.testing.assert_allclose(np.hypot(*speed.T), 6.0, rtol=1e-6)


@pytest.mark.parametrize(
    "law",
    [
        "gauss_de_saxce",
        pytest.param("gauss", marks=pytest.mark.long),
        pytest.param("gauss_discrete", marks=pytest.mark.long),
    ],
)
def test_a_run_continues_bit_for_bit_in_another_process(law: str, tmp_path: Path) -> None:
    """Saved in the middle of the landing, with warm starts and multipliers."""
    scene, first, rest = "humanoid/drop", 120, 60
    sim = footfall.load(scene, overrides=LAWS[law])
    for _ in range(first):
        sim.step()
    assert np.any(np.abs(sim.v) > 1e-3)
    sim.save(tmp_path / "state")
    for _ in range(rest):
        sim.step()
    arguments = [scene, str(tmp_path / "state"), repr(LAWS[law]), str(rest)]
    other = subprocess.run(
        [sys.executable, "-c", RESUME, *arguments], capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == sim.q.tobytes().hex() + sim.v.tobytes().hex()
