"""Steps as action models of Crocoddyl: derivatives as by differences, and a jump by its FDDP."""

import numpy as np
import pytest

import footfall
from footfall.errors import SimulationError

crocoddyl = pytest.importorskip("crocoddyl", reason='needs the extra "crocoddyl"')

import pinocchio  # noqa: E402

NU = 12
FLOATING = pinocchio.JointModelFreeFlyer()
QUADRUPED = footfall.load_robot("quadruped").urdf.path
STATE = crocoddyl.StateMultibody(pinocchio.buildModelFromUrdf(QUADRUPED, FLOATING))


def quadruped(time_step, **change):
    given = {"simulation.time_step": time_step, "bodies.quadruped.sensors": [], **change}
    return footfall.load("quadruped/standing", given)


def costs(terms):
    """Return weighted squares of residuals, each a residual, its weights, and a factor."""
    found = crocoddyl.CostModelSum(STATE, NU)
    for name, (residual, weights, factor) in terms.items():
        square = crocoddyl.ActivationModelWeightedQuad(np.broadcast_to(weights, residual.nr))
        found.addCost(name, crocoddyl.CostModelResidual(STATE, square, residual), factor)
    return found


def effort(factor):
    return {"torque": (crocoddyl.ResidualModelControl(STATE, NU), 1.0, factor)}


def near(x, weights):
    """Weights: of x and y, the height, the rotation, joints, velocities."""
    each = np.repeat(weights, [2, 1, 3, NU, 18])
    return {"state": (crocoddyl.ResidualModelState(STATE, x, NU), each, 1.0)}


@pytest.mark.parametrize("steps", [1, 3])
def test_derivatives_are_those_of_crocoddyls_differences(steps):
    sim = quadruped(5e-3)
    terms = {
        "centre": (
            crocoddyl.ResidualModelCoMPosition(STATE, np.array([0.1, 0, 0.4]), NU),
            1.0,
            2.0,
        ),
        "momentum": (crocoddyl.ResidualModelCentroidalMomentum(STATE, np.ones(6), NU), 1.0, 1.0),
    }
    terms |= near(STATE.zero(), [1.0, 2.0, 3.0, 4.0, 5.0]) | effort(0.1)
    model = footfall.ActionModel(sim, costs(terms), steps=steps)
    by_differences = crocoddyl.ActionModelNumDiff(model, False)
    sim.run(0.1)
    x = np.concatenate([sim.q, sim.v])
    x[2] -= 1e-4  # no kink of a gap of zero is near
    u = sim.signal("tau")[6:] + np.linspace(-1.0, 1.0, NU)
    found, other = model.createData(), by_differences.createData()
    for one, data in ((model, found), (by_differences, other)):
        one.calc(data, x, u)
        one.calcDiff(data, x, u)
    sim.q[:], sim.v[:] = x[:19], x[19:]
    for _ in range(steps):
        sim.step(u)
    np.testing.assert_allclose(found.xnext, np.concatenate([sim.q, sim.v]), atol=1e-9)
    for name in ("Fx", "Fu", "Lx", "Lu"):
        expected = getattr(other, name)
        size = abs(expected).max()
        np.testing.assert_allclose(getattr(found, name), expected, atol=1e-6 * size, err_msg=name)
    assert model.failure == ""


def test_a_jump_is_solved_by_fddp():
    """From the torques of standing; the feet leave the ground by 2 cm and more, and it lands."""
    sim, steps = quadruped(0.01), 50
    start = np.concatenate([sim.q, sim.v])
    above = start.copy()
    above[2] = 0.55
    along = footfall.ActionModel(sim, costs(near(start, [0.1, 0, 1, 0.01, 1e-3]) | effort(1e-3)))
    apex = footfall.ActionModel(sim, costs(near(above, [0.1, 1e4, 1, 0.01, 0.0]) | effort(1e-3)))
    end = footfall.ActionModel(sim, costs(near(start, [10.0, 100.0, 100.0, 10.0, 1.0])))
    models = [along] * steps
    models[25] = apex
    problem = crocoddyl.ShootingProblem(start, models, end)
    xs, us = [start], []
    for _ in range(steps):
        sim.step()  # the scene's controller holds it
        us.append(sim.signal("tau")[6:].copy())
        xs.append(np.concatenate([sim.q, sim.v]))
    solver = crocoddyl.SolverFDDP(problem)
    standing = problem.calc(xs, us)
    solver.solve(xs, us, 20, False)
    assert solver.cost < 0.25 * standing
    assert along.failure == apex.failure == ""

    replay = quadruped(0.01)
    gaps = []
    for u, x in zip(solver.us, list(solver.xs)[1:], strict=True):
        replay.step(u)
        gaps.append(replay.signal("gap").min())
        np.testing.assert_allclose(np.concatenate([replay.q, replay.v]), x, atol=1e-6)
    assert max(gaps) > 0.02
    assert abs(gaps[-1]) < 2e-3
    assert abs(replay.q[3:6]).max() < 0.05


def test_a_step_that_fails_is_no_number_and_says_why():
    model = footfall.ActionModel(quadruped(0.01), costs(effort(1.0)))
    data = model.createData()
    model.calc(data, STATE.zero(), np.full(NU, 1e300))
    assert np.isnan(data.xnext).all()
    assert "tau is not finite" in model.failure
    model.calcDiff(data, STATE.zero(), np.zeros(NU))  # ends no process


def test_a_node_without_torque_counts_costs_only():
    x = STATE.integrate(STATE.zero(), np.linspace(-0.5, 0.5, STATE.ndx))
    model = footfall.ActionModel(quadruped(0.01), costs(near(STATE.zero(), [1.0] * 5)))
    data = model.createData()
    model.calc(data, x)
    model.calcDiff(data, x)
    assert data.cost == pytest.approx(0.5 * (STATE.diff(STATE.zero(), x) ** 2).sum(), rel=1e-9)
    assert np.isfinite(data.Lx).all()


@pytest.mark.parametrize(
    ("scene", "change", "said"),
    [
        ("cube/drop", {}, r"nq, nv, nu and joints must be \(7, 6, 0, \[\]\), got \(19, 18, 12"),
        ("quadruped/standing", {"contact.plugin": "lcp"}, "law"),
    ],
)
def test_what_does_not_fit_is_refused(scene, change, said):
    with pytest.raises(SimulationError, match=said):
        footfall.ActionModel(footfall.load(scene, change), costs(effort(1.0)))


def test_costs_of_frames_are_refused_where_versions_differ(monkeypatch):
    from footfall_gradients import crocoddyl_model

    monkeypatch.setattr(crocoddyl_model, "BUILT", {crocoddyl.__version__: "0.0.1"})
    residual = crocoddyl.ResidualModelFrameTranslation(STATE, 1, np.zeros(3), NU)
    with pytest.raises(SimulationError, match=r"costs of frames end the process.*needs 0\.0\.1"):
        footfall.ActionModel(quadruped(0.01), costs({"foot": (residual, 1.0, 1.0)}))
