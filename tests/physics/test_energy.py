"""The energy balance holds to rounding on every shipped scene, with every law that can run it."""

import numpy as np
import pytest

import footfall
from footfall.scene.find import list_scenes

SCENES = [scene.name for scene in list_scenes()]


def balance(run):
    """Kinetic + potential + dissipated - work - integrator's error, [J] over time."""
    return (
        run.kinetic_energy
        + run.potential_energy
        + run.dissipated_energy
        - run.work
        - run.integration_energy_error
    ).values


@pytest.mark.parametrize("scene", SCENES)
def test_the_balance_is_constant(scene, tmp_path):
    """To 1e-9 of the energy at play."""
    if scene.startswith("icub"):
        pytest.importorskip("icub_models")
    run = footfall.load(scene).run(1.5, tmp_path / "run.zarr")
    total = balance(run)
    scale = max(1.0, np.abs(run.kinetic_energy).max(), np.ptp(run.potential_energy.values))
    assert np.abs(total - total[0]).max() <= 1e-9 * float(scale)


@pytest.mark.parametrize("law", ["coulomb", "gauss", "gauss_discrete"])
@pytest.mark.parametrize("scene", ["humanoid/drop", "box/slope"])
def test_the_balance_is_constant_for_every_law(scene, law, tmp_path):
    run = footfall.load(scene, overrides={"contact.plugin": law}).run(0.6, tmp_path / "run.zarr")
    total = balance(run)
    scale = max(1.0, np.abs(run.kinetic_energy).max(), np.ptp(run.potential_energy.values))
    assert np.abs(total - total[0]).max() <= 1e-9 * float(scale)


def test_the_integrators_error_is_of_first_order(tmp_path):
    """A swinging pendulum: half the step, half the largest error (within 5 %)."""
    worst = []
    for k, dt in enumerate((2e-3, 1e-3, 5e-4)):
        sim = footfall.load("pendulum/swing", overrides={"simulation.time_step": dt})
        run = sim.run(1.0, tmp_path / f"{k}.zarr")
        worst.append(float(np.abs(run.integration_energy_error).max()))
    assert worst[0] / worst[1] == pytest.approx(2.0, rel=0.05)
    assert worst[1] / worst[2] == pytest.approx(2.0, rel=0.05)


def test_friction_dissipates_the_energy_of_the_slide(tmp_path):
    """The cube of 1 kg at 6 m/s loses its 18 J; the ground does no work."""
    run = footfall.load("cube/sliding").run(1.4, tmp_path / "run.zarr")
    assert float(run.dissipated_energy[-1]) == pytest.approx(18.0, rel=1e-6)
    assert float(np.abs(run.work).max()) == 0.0
    assert (np.diff(run.dissipated_energy.values) >= -1e-12).all()
