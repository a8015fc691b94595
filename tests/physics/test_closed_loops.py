"""Closed loops beside contacts: held links, redundant rows, impacts, every law."""

from dataclasses import replace

import numpy as np
import pytest
from tests.cases import first

import footfall
from footfall.interfaces.contact import ForceLaw
from footfall.model.loops import JointCoupling, Loop, LoopEnd
from footfall.model.robot import load_robot
from footfall.registry.discover import discover
from footfall_check.kit.bench import Euler, NoImpact
from footfall_coulomb.contact import Coulomb, CoulombConfig
from footfall_pinocchio.engine import Pinocchio
from footfall_standard.terrain import Plane, PlaneConfig
from footfall_stepper.simulation.simulator import StepperSimulator
from footfall_stepper.stepping.settings import Physics, StepSettings
from footfall_stepper.world.body import Body
from footfall_stepper.world.world import World

G = 9.81
LEG_MASS = 7.0
"""Of parallel_leg, [kg]."""
LAWS = [name for name, _ in discover().catalog("contact").loadable()]


def simulator(name, q, v=None, loops=(), base="fixed", dt=1e-3):
    """Compose a robot with other loops than its own, on a plane."""
    robot = load_robot(name)
    tree = Pinocchio().load(robot.source(name, np.array([0.0, 0.0, -G]), base))
    model = tree.model
    v = np.zeros(model.nv) if v is None else np.asarray(v, float)
    body = Body(
        *(name, model, tree, np.asarray(q, float), v, robot.features(model)),
        np.zeros(len(model.joint_names)),
        model.damping,
        loops=loops,
    )
    physics = Physics(Coulomb(CoulombConfig()), NoImpact(), Euler(), Plane(PlaneConfig()))
    return StepperSimulator(World([body], np.array([0.0, 0.0, -G])), physics, StepSettings(dt))


def leg(scene="standing", **overrides):
    return footfall.load(f"parallel_leg/{scene}", overrides=overrides)


def test_the_leg_stands_and_the_ground_carries_its_weight():
    recorded = leg().run(3.0)
    last = recorded.isel(time=-1)
    assert last.contact_force.values[0, 2] == pytest.approx(LEG_MASS * G, rel=1e-9)
    assert np.abs(last.v.values).max() < 1e-9
    assert np.abs(recorded.loop_gap.values).max() < 1e-8


def test_the_leg_hops_as_high_as_a_thrown_body():
    """Apex of the centre of mass against ``z + v^2 / 2 g`` of the first instant in flight."""
    recorded = leg("hopping").run(1.0)
    z, up = recorded.com.values[:, 2], recorded.contact_force.values[:, 0, 2]
    away = int(np.flatnonzero(up > 0.0)[0])
    away += int(np.flatnonzero(up[away:] == 0.0)[0])
    speed = (z[away + 1] - z[away]) / 1e-3 + G * 0.5e-3
    apex = z[away:].max()
    assert recorded.gap.values[:, 0].max() > 0.05
    assert apex - z[away] == pytest.approx(speed**2 / (2.0 * G), rel=0.02)
    assert np.abs(recorded.loop_gap.values).max() < 1e-6


def test_a_welded_base_stays_and_carries_what_hangs_on_it():
    pytest.importorskip("icub_models")
    soft = {
        "bodies.icub_on_pole.controller.damping": 30.0,
        "bodies.icub_on_pole.controller.stiffness": 300.0,
    }
    sim = footfall.load("icub_on_pole/swinging", overrides=soft)
    recorded = sim.run(5.0)
    moved = recorded.base_position.values - recorded.base_position.values[0]
    assert np.abs(moved).max() < 1e-9
    assert (recorded.loop_rank.values == 6).all()
    force = recorded.loop_force.values[-1]
    np.testing.assert_allclose(force[:3], [0.0, 0.0, sim.world.mass * G], atol=1e-6)


def test_more_rows_than_are_needed_change_nothing_but_share_the_force():
    """The same loop once and three times: the same motion, a third of the force each."""
    own = load_robot("fourbar")
    once = footfall.load("fourbar/swinging")
    loop = once.world.bodies[0].loops[0]
    thrice = tuple(replace(loop, name=f"loop{i}") for i in range(3))
    sims = [simulator(own.name, once.q, loops=loops) for loops in ((loop,), thrice)]
    for sim in sims:
        for _ in range(500):
            sim.step()
    np.testing.assert_allclose(sims[1].q, sims[0].q, atol=1e-11)
    assert sims[1].signal("loop_rank") == sims[0].signal("loop_rank") == 2
    alone, shared = (sim.signal("loop_force").reshape(-1, 3) for sim in sims)
    assert np.abs(alone).max() > 1.0
    np.testing.assert_allclose(shared, np.tile(alone / 3.0, (3, 1)), rtol=1e-6, atol=1e-8)


def test_a_weld_in_place_of_a_ball_joint_locks_the_linkage():
    """Three freedoms, and three rows of the weld that matter in the plane: nothing moves."""
    start = footfall.load("fourbar/swinging")
    loop = start.world.bodies[0].loops[0]
    a, b = loop.ends
    # The second end turned, so that both frames are one at the start.
    poses = start.world.dynamics.pose
    turn = poses[b.link, :9].reshape(3, 3) @ poses[a.link, :9].reshape(3, 3).T
    weld = Loop("weld", "weld", (a, LoopEnd(b.link, turn @ a.rotation, b.translation)))
    sim = simulator("fourbar", start.q, loops=(weld,))
    for _ in range(1000):
        sim.step()
    assert sim.signal("loop_rank") == 3
    np.testing.assert_allclose(sim.q, start.q, atol=1e-9)


def test_a_coupled_joint_follows_with_its_ratio_and_offset():
    """The double pendulum with ``s2 = -2 s1 + 0.3``."""
    sim = simulator("rrbot", [0.4, -0.5], loops=(JointCoupling("gear", 1, 0, -2.0, 0.3),))
    for _ in range(1000):
        sim.step()
        assert abs(sim.q[1] + 2.0 * sim.q[0] - 0.3) < 1e-12
    assert abs(sim.q[0] - 0.4) > 0.1


def test_an_inconsistent_velocity_at_the_start_is_gone_after_one_step():
    start = footfall.load("fourbar/swinging")
    loops = start.world.bodies[0].loops
    sim = simulator("fourbar", start.q, [1.0, 0.0, 0.0], loops=loops)
    energies = []
    for _ in range(3):
        sim.step()
        energies.append(float(sim.signal("kinetic_energy")))
    assert energies[1] < energies[0]
    assert energies[2] == pytest.approx(energies[1], rel=0.05)
    assert np.abs(sim.signal("loop_gap")).max() < 1e-8


@pytest.mark.parametrize("law", first(*LAWS, runs=2))
def test_every_law_stands_on_a_closed_leg(law):
    """No law knows of loops; all carry the weight and keep the leg closed."""
    sim = leg(**{"contact.plugin": law, "bodies.parallel_leg.friction": 0.05})
    recorded = sim.run(2.0)
    assert np.abs(recorded.loop_gap.values).max() < 1e-6
    carried = recorded.contact_force.values[-1, 0, 2]
    assert carried == pytest.approx(
        LEG_MASS * G, rel=1e-3 if issubclass(type(sim.stepper.law), ForceLaw) else 1e-6
    )


@pytest.mark.parametrize("impact", ["restitution", "inelastic", "frictional"])
def test_impacts_leave_loops_closed(impact):
    """The foot hits the ground at 1 m/s, beside a law that leaves impacts to a model."""
    sim = leg(
        **{
            "contact.plugin": "gauss",
            "impact.plugin": impact,
            "bodies.parallel_leg.joint_positions": {"lift": 0.4302114391062395 + 0.001},
            "bodies.parallel_leg.joint_velocities": {"lift": -1.0},
        }
    )
    recorded = sim.run(0.2)
    hit = int(np.flatnonzero(recorded.impacts.values)[0])
    assert np.abs(recorded.loop_gap.values).max() < 1e-6
    # What the ground gives goes through both shanks, one half through the pin of the loop.
    pushed = float(recorded.contact_force.values[hit, 0, 2])
    assert pushed > 100.0
    assert recorded.loop_force.values[hit, 2] == pytest.approx(0.5 * pushed, rel=0.1)


def test_it_continues_bit_for_bit(tmp_path):
    whole = leg("hopping")
    for _ in range(600):
        whole.step()
    half = leg("hopping")
    for _ in range(300):
        half.step()
    half.save(tmp_path / "half.npz")
    rest = leg("hopping")
    rest.resume(tmp_path / "half.npz")
    for _ in range(300):
        rest.step()
    np.testing.assert_array_equal(rest.state.vector, whole.state.vector)
