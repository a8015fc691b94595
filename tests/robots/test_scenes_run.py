"""Every scene that comes with Footfall runs for its whole duration."""

import numpy as np
import pytest
from tests.robot_packages import need_package

from footfall import load, open_run
from footfall.scene.find import list_scenes
from footfall_stepper.stepping.continuous_time import ContinuousTime

WHOLE_ELSEWHERE = {
    *("humanoid/collaboration", "humanoid/grasp", "jvrc/grasp"),
    *("humanoid/walking", "humanoid/walking_pushed", "icub/yoga", "quadruped/trot"),
}
"""Long scenes, which tests of their own run as well: of grasping, collaboration and gaits."""
SCENES = [
    pytest.param(listing.name, marks=pytest.mark.long if listing.name in WHOLE_ELSEWHERE else ())
    for listing in list_scenes()
]
SEED = ("icub/seed",)
"""Scenes that reproduce another simulator, with its contact law: not Coulomb's."""


@pytest.fixture(scope="module", params=SCENES)
def ended(request, tmp_path_factory):
    """A simulator that ran for the scene's duration, its report and its recording."""
    need_package(request.param)
    sim, path = load(request.param), tmp_path_factory.mktemp("scene") / "run"
    report = sim.record(output=path)
    return sim, report, open_run(path)


@pytest.fixture(scope="module")
def recorded(ended):
    """A simulator, and what it recorded over the scene's duration."""
    sim, _, run = ended
    return sim, run


def in_continuous_time(sim):
    """Whether steps are ticks of an integrator that chooses its own steps within them."""
    return isinstance(sim.stepper, ContinuousTime)


def test_it_runs_to_its_end(recorded):
    sim, run = recorded
    steps = round(sim.provenance.duration / sim.time_step)
    assert sim.state.tick == run.sizes["time"] == steps
    np.testing.assert_array_equal(run.time.values, np.arange(steps) * sim.time_step)
    assert run.attrs["complete"] == 1


def test_the_energy_balance_closes_to_rounding(ended):
    """1e-9 of the largest term."""
    _, report, _ = ended
    scale = max(
        *(abs(x) for x in (report.energy_start, report.energy_end, report.work)), report.dissipated
    )
    assert abs(report.energy_balance) <= 1e-9 * scale


def test_it_raises_no_alarm(ended):
    _, report, run = ended
    assert report.alarms == ()
    assert run.attrs["alarms"] == []


def test_every_recorded_value_is_finite(recorded):
    """But for what continuous time does not have, and hands where they hold nothing."""
    sim, run = recorded
    for name, variable in run.data_vars.items():
        if in_continuous_time(sim) and name.startswith("residual_"):
            assert np.isnan(variable.values).all()
            continue
        values = np.asarray(variable.values, float)
        if name.startswith("hand_"):
            values = values[run.hand_link.values >= 0]
        assert np.isfinite(values).all(), name


def test_the_contact_problem_is_solved(recorded):
    """Natural map at most 1e-5 m/s on every step and 1e-7 in the median; no QP fails.

    The seed's scene solves friction pyramids, which the exact cone's residual does not judge, nor
    does it judge a ground of springs.
    """
    sim, run = recorded
    assert run.solver_failures.values.sum() == 0
    if sim.provenance.name in SEED or sim.stepper.law.rest_depth(1.0) > 0.0:
        return
    assert run.residual_natural_map.values.max() <= 1e-5
    assert np.median(run.residual_natural_map.values) <= 1e-7


CORNERS = {"quadruped/scanning"}
"""Scenes whose feet come into the inner corners of stairs: a point has one of both surfaces."""
CROWDED = {"cube/stack"}
"""Scenes with impacts among more than 32 contacts, which are not located: of boxes that turn at 20
rad/s one may be 0.5 mm deep for a few steps, others not: starts that differ by 1e-10 m/s decide."""


def test_nothing_sinks_into_the_ground(recorded):
    """A tenth of a millimetre for coulomb; the source of the seed's scene corrects nothing.

    The compliant ground stores ``2/5 K d^2.5`` in each point, which is no more than there is.
    """
    sim, run = recorded
    if sim.stepper.law.rest_depth(1.0) > 0.0:
        energy = float(run.kinetic_energy[0] + run.potential_energy[0])
        K = 1.0 / sim.stepper.law.rest_depth(1.0) ** 1.5
        assert 0.0 < run.penetration.values.max() < (2.5 * energy / K) ** 0.4
        return
    loose = sim.provenance.name in {*SEED, *CORNERS, *CROWDED}
    assert run.penetration.values.max() < (1e-3 if loose else 1e-4)
    if sim.provenance.name in CROWDED:
        assert np.quantile(run.penetration.values, 0.99) < 1e-4


def test_quaternions_are_of_unit_length(recorded):
    sim, run = recorded
    norms = np.linalg.norm(run.base_quaternion.values, axis=-1)
    np.testing.assert_allclose(norms, 1.0, atol=1e-14)
    if sim.world.topology.floating[0]:
        np.testing.assert_array_equal(run.base_quaternion.values[:, 0], run.q.values[:, 3:7])


def test_no_force_pulls(recorded):
    """Every contact pushes: its normal impulse is not negative.

    But for the seed's impacts, a projection that stops a point that leaves as well.
    """
    sim, run = recorded
    normal = run.impulse.sel(contact_axis="normal").values
    if sim.provenance.name in SEED:
        normal = normal[run.impacts.values == 0]
    assert (normal >= 0.0).all()


def test_forces_are_where_there_is_contact(recorded):
    """In continuous time: at a tick's start, or from an event within the tick on."""
    sim, run = recorded
    pushed = np.abs(run.contact_force.values).max(axis=-1, initial=0.0) > 0.0
    contact = run.in_contact.values.astype(bool)
    if in_continuous_time(sim):
        tick = (run.events_time.values / sim.time_step).astype(int)
        contact[tick, run.events_contact.values] = True
    assert contact[pushed].all()
    if in_continuous_time(sim):
        return
    assert (run.contact_status.values[~pushed] == 0).all()


def test_the_mixed_base_velocity_is_that_of_the_state(recorded):
    """``base_velocity`` is v turned into world axes: its length is the same, part by part."""
    sim, run = recorded
    if "planar_x" in run.joint.values:
        np.testing.assert_allclose(run.base_velocity.values[:, 0, [0, 2, 4]], run.v, atol=1e-12)
        return
    if not sim.world.topology.floating[0]:
        assert not run.base_velocity.values[:, 0].any()
        return
    for part in (slice(0, 3), slice(3, 6)):
        np.testing.assert_allclose(
            np.linalg.norm(run.base_velocity.values[:, 0, part], axis=1),
            np.linalg.norm(run.v.values[:, part], axis=1),
            atol=1e-12,
        )


def test_the_base_moves_with_its_recorded_velocity(recorded):
    """``p_k+1 - p_k`` is dt times a mean of the two velocities, but for impacts within a step."""
    sim, run = recorded
    if not sim.world.topology.floating[0]:
        return
    moved = np.diff(run.base_position.values[:, 0], axis=0) / sim.time_step
    before = run.base_velocity.values[:-1, 0, :3]
    after = run.base_velocity.values[1:, 0, :3]
    low, high = np.minimum(before, after), np.maximum(before, after)
    whole = run.impacts.values[:-1] == 0
    if in_continuous_time(sim):  # a tick may hold a whole bounce
        whole &= ~run.contact_force.values[:-1].any(axis=(1, 2))
        assert whole.sum() > 20
    # The push out of penetration moves positions alone: 0.2 of at most 1e-4 m a step.
    slack = 1e-9 + 0.2 * 1e-4 / sim.time_step * (run.penetration.values[:-1, None] > 1e-5)
    inside = (moved >= low - slack) & (moved <= high + slack)
    assert inside[whole].all()
