"""The balancing controller: what its torques do to the body, and what it does without an answer."""

import numpy as np
import pytest
from tests.cases import first, missing
from tests.plugins.balance_cases import TWO_FEET, WEIGHT_SHIFT, balance, config_of, standing

import footfall
from footfall.errors import SettingError, SolverError
from footfall.interfaces.plugin import NoConfig
from footfall.interfaces.solver import QPSolution, QPSolver, QPStatus
from footfall.registry.discover import discover
from footfall_controllers.balance.controller import MomentumBalance
from footfall_run.summary import summary


class Never(QPSolver):
    """Has no answer when told so."""

    name = "never"

    def __init__(self, config=None):
        self.fails = False
        self._inner = discover().find("solver", "proxqp").load()
        self._inner = self._inner(self._inner.Config())

    def solve(self, problem, warm_start):
        if not self.fails:
            return self._inner.solve(problem, warm_start)
        x, z = np.full(len(problem.g), 7.0), np.zeros(len(problem.l))
        residuals = problem.residuals(x, z)
        return QPSolution(x, z, QPStatus.INACCURATE, 1, residuals, "told to")


def joint_torques(sim):
    """Return what has been commanded, (n_joints,)."""
    return sim.world.joints.tau[6:].copy()


def one_that_fails(**settings):
    """Return a simulator and the solver that can be told to fail."""
    sim, solver = balance("humanoid/standing", standing(TWO_FEET)), Never(NoConfig())
    controller = MomentumBalance(config_of(standing(TWO_FEET), **settings), solver)
    sim.participants.controllers["humanoid"] = controller
    sim.connect_controllers()
    return sim, solver


def test_the_mass_centre_accelerates_as_it_is_told_to():
    """At rest, 5 mm from where it is to be: within 2 % of ``K`` times that, from the first step."""
    offset = np.array([-0.0185, 0.004])
    phases = [{**standing(TWO_FEET)[0], "com_offset": offset.tolist()}]
    sim = balance(phases=phases, com_stiffness=60.0, wrench_weight=1e-6, posture_weight=1e-6)
    signals = sim.signals("humanoid")
    at = signals.com[:2].copy()
    # The middle of the soles is 0.035 m before their frames.
    feet = np.mean([signals.feet[f].pose[:2, 3] for f in TWO_FEET], axis=0) + np.array([0.035, 0.0])
    sim.step()
    gained = signals.com_velocity[:2] / sim.time_step
    wanted = 60.0 * (feet + offset - at)
    assert 0.2 < np.linalg.norm(wanted) < 0.5
    np.testing.assert_allclose(gained, wanted, atol=0.02 * np.linalg.norm(wanted))


def test_feet_that_carry_stay_and_the_other_goes_up():
    sim = balance()
    signals, shift = sim.signals("humanoid"), {}
    start = {foot: signals.feet[foot].pose.copy() for foot in TWO_FEET}
    for _ in range(3000):
        sim.step()
    for foot in TWO_FEET:
        shift[foot] = signals.feet[foot].pose[:3, 3] - start[foot][:3, 3]
    assert np.abs(shift["l_sole"]).max() < 1e-4
    assert shift["r_sole"][2] == pytest.approx(0.05, abs=2e-3)
    assert np.abs(shift["r_sole"][:2]).max() < 2e-3
    np.testing.assert_allclose(
        signals.feet["r_sole"].pose[:3, :3], start["r_sole"][:3, :3], atol=0.02
    )


def test_torques_keep_to_their_limits_and_reach_them():
    """What the robot believes of its motors; the simulation would give more."""
    free, bounded = (balance(phases=standing(TWO_FEET)) for _ in range(2))
    wanted = _worst_torque(free, push=100.0)
    k = int(np.argmax(wanted))
    limits = bounded.signals("humanoid").torque_limits
    limits.flags.writeable = True
    limits[k] = 0.9 * wanted[k]
    found = _worst_torque(bounded, push=100.0)
    assert found[k] == pytest.approx(limits[k], rel=1e-6)
    assert (found <= limits * (1.0 + 1e-9)).all()
    assert bounded.state["controller.humanoid.solves"][0, 1] == 0.0


def _worst_torque(sim, push):
    worst = np.zeros(len(sim.world.joints.tau) - 6)
    for _ in range(200):
        sim.push("chest", force=(push, 0.0, 0.0))
        sim.step()
        worst = np.maximum(worst, np.abs(joint_torques(sim)))
    return worst


def test_without_an_answer_the_last_torques_are_held_and_failures_counted():
    sim, solver = one_that_fails(max_consecutive_failures=5)
    for _ in range(10):
        sim.step()
    held = joint_torques(sim)
    solver.fails = True
    for _ in range(4):
        sim.step()
        np.testing.assert_array_equal(joint_torques(sim), held)
    solver.fails = False
    sim.step()
    assert sim.state["controller.humanoid.solves"][0].tolist() == [15.0, 4.0, 0.0]
    solver.fails = True
    for _ in range(4):
        sim.step()
    with pytest.raises(SolverError, match=r"5 QPs in a row.*inaccurate.*told to"):
        sim.step()


def test_failures_are_told_in_the_summary_of_a_run():
    sim, solver = one_that_fails()
    sim.record(0.01)
    solver.fails = True
    report = sim.record(0.003)
    assert ("humanoid: QPs without a solution", "3 of 13, torques held") in summary(report)


@pytest.mark.long
def test_a_restored_run_goes_on_bit_for_bit(tmp_path):
    """In the middle of the lift."""
    whole, first = balance(), balance()
    for _ in range(1950):
        whole.step()
        first.step()
    first.save(tmp_path / "state")
    second = balance()
    second.resume(tmp_path / "state")
    for _ in range(50):
        whole.step()
        second.step()
    np.testing.assert_array_equal(whole.q, second.q)
    np.testing.assert_array_equal(whole.v, second.v)


@pytest.mark.parametrize("solver", first("quadprog", "osqp", "qpoases"))
def test_any_solver_will_do(solver):
    """Quarter of a second of the shift: mass centres within 1e-6 m of those with ProxQP."""
    places = []
    for name in ("proxqp", solver):
        if reason := missing(discover().find("solver", name)):
            pytest.skip(reason)
        sim = balance(phases=WEIGHT_SHIFT, solver={"plugin": name})
        for _ in range(250):
            sim.step()
        places.append(sim.signals("humanoid").com.copy())
    np.testing.assert_allclose(places[0], places[1], atol=1e-6)


@pytest.mark.parametrize(
    ("scene", "phases", "settings", "words"),
    [
        (
            "humanoid/standing",
            standing(["l_sol"]),
            {},
            ["phases[0].feet", "no foot 'l_sol', did you mean 'l_sole'?", "(feet: l_sole, r_sole)"],
        ),
        (
            "humanoid/standing",
            [{"start": 0.0, "feet": ["l_sole"], "lift": {"foot": [0.0, 0.0, 0.1]}}],
            {},
            ["phases[0].lift", "no foot 'foot'"],
        ),
        (
            "humanoid/standing",
            [{"start": 0.0, "feet": ["l_sole"], "joint_positions": {"l_kne": 0.1}}],
            {},
            ["phases[0].joint_positions", "no joint matches 'l_kne', did you mean 'l_knee'?"],
        ),
        (
            "humanoid/standing",
            standing(TWO_FEET),
            {"edge_margin": 0.1},
            ["controller.edge_margin", "l_sole: 0.1 m is too large for its sole"],
        ),
        ("rrbot/swing", standing(["sole"]), {}, ["controller.plugin", "needs a floating base"]),
        ("humanoid/standing", standing(TWO_FEET), {"gain": 1.0}, ["controller.gain"]),
    ],
)
def test_what_does_not_suit_the_robot_is_named_with_its_key(scene, phases, settings, words):
    with pytest.raises(footfall.FootfallError) as error:
        balance(scene, phases, **settings)
    for word in words:
        assert word in str(error.value)


def test_a_robot_without_feet_is_refused():
    controller = MomentumBalance(config_of(standing(["sole"])), Never())
    signals = footfall.load("pendulum/swing").signals("pendulum")
    with pytest.raises(SettingError, match="needs feet: the robot has no contact_features"):
        controller.start(signals)
