"""Plugins that fail in the middle of a run: one clear error, and the recording up to there."""

from dataclasses import replace

import numpy as np
import pytest
from tests.core.random_trees import Given
from tests.physics.composed import DOWN, box, laws, simulator, steps

import footfall
from footfall.errors import PluginError, SimulationError
from footfall.interfaces.controller import Controller
from footfall_check.kit.bench import Spring
from footfall_coulomb.contact import Coulomb, CoulombConfig
from footfall_pinocchio.engine import Pinocchio
from footfall_stepper.devices.participants import Participants
from footfall_stepper.simulation.simulator import StepperSimulator
from footfall_stepper.world.world import World

FIELDS = ("M", "h", "S", "pose")
FAULT = 25
"""Step in which something goes wrong."""


class FaultyLaw(Coulomb):
    """The default law until step ``FAULT``; then it does ``fault`` to the problem."""

    name = "faulty"

    def __init__(self, fault):
        super().__init__(CoulombConfig())
        self.calls, self.fault = 0, fault

    def solve(self, problem, state):
        super().solve(problem, state)
        if self.calls == FAULT:
            self.fault(problem)
        self.calls += 1


def nan_impulse(problem):
    problem.impulse[2] = np.nan


def nan_correction(problem):
    problem.correction[2] = np.nan
    problem.report.corrects = True


def raises(problem):
    raise ValueError("no luck")


def fails_solver(problem):
    raise footfall.SolverError("the QP has no answer")


def resting(fault):
    return simulator(box().at((0, 0, 0.05)), law=FaultyLaw(fault))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (nan_impulse, r"step 25, t = 0\.025 s: contact impulse \(contact law\) is not finite"),
        (nan_correction, r"step 25, t = 0\.025 s: split impulse \(contact law\) is not finite"),
        (raises, r"step 25, t = 0\.025 s: ValueError: no luck"),
    ],
)
def test_a_law_that_fails_is_named_with_step_and_time(fault, said):
    sim = resting(fault)
    with pytest.raises(SimulationError, match=said):
        sim.record(1.0)


class ReturningSpring(Spring):
    """A force law that hands its forces back instead of writing them."""

    name = "returning"

    def force(self, problem, state, rate, out):
        return np.zeros(problem.n_rows)


class ReturningLaw(Coulomb):
    """An impulse law that hands its impulse back instead of writing it."""

    name = "returning"

    def solve(self, problem, state):
        return problem.impulse.copy()


@pytest.mark.parametrize("height", [0.05, 5.0])
@pytest.mark.parametrize(
    ("law", "said"),
    [
        (ReturningSpring(), r"contact \"returning\": force returned ndarray.* into out \(out"),
        (
            ReturningLaw(CoulombConfig()),
            r"contact \"returning\": solve returned ndarray.* into problem\.impulse \(problem",
        ),
    ],
)
def test_a_law_that_returns_its_answer_is_told_on_its_first_step(law, said, height):
    sim = simulator(box().at((0, 0, height)), law=law)
    with pytest.raises(PluginError, match=said):
        sim.step()


def test_a_footfall_error_of_a_plugin_comes_through_as_it_is():
    with pytest.raises(footfall.SolverError, match="the QP has no answer"):
        resting(fails_solver).record(1.0)


def test_a_foreign_error_keeps_its_cause():
    with pytest.raises(SimulationError) as caught:
        resting(raises).record(1.0)
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize("fault", [nan_impulse, raises, fails_solver])
def test_the_recording_is_readable_up_to_the_fault(tmp_path, fault):
    sim = resting(fault)
    with pytest.raises(footfall.FootfallError):
        sim.run(1.0, tmp_path / "run.zarr")
    run = footfall.open_run(tmp_path / "run.zarr")
    assert run.sizes["time"] == FAULT
    assert run.attrs["complete"] == 0
    assert np.isfinite(run.q.values).all()


class Interrupting(Controller):
    """Leaves the joints free, and behaves like Ctrl-C in step ``FAULT``."""

    name = "interrupting"

    def __init__(self):
        self.calls = 0

    def setup(self, model, posture):
        pass

    def command(self, observation, command):
        if self.calls == FAULT:
            raise KeyboardInterrupt
        self.calls += 1


def test_an_interrupt_closes_the_recording(tmp_path):
    whole = footfall.load("pendulum/swing")
    sim = with_controller(Interrupting())
    with pytest.raises(KeyboardInterrupt):
        sim.run(1.0, tmp_path / "run.zarr")
    run = footfall.open_run(tmp_path / "run.zarr")
    assert run.sizes["time"] == FAULT
    assert run.attrs["complete"] == 0
    assert run.attrs["recording_closed"] == 1
    assert sim.state.tick == FAULT
    # What is there is the run's beginning, and the simulation can go on.
    np.testing.assert_array_equal(run.q.values, whole.run(1.0).q.values[:FAULT])


def with_controller(controller):
    """Return the pendulum of its scene, driven by a controller object."""
    sim = footfall.load("pendulum/swing")
    return StepperSimulator(
        sim.stepper.world, laws(), sim.stepper.settings, Participants({"pendulum": controller})
    )


def function_scene(tmp_path, monkeypatch, body):
    """Load the double pendulum with a controller function of the given body."""
    name = f"controller_{abs(hash(body))}"
    (tmp_path / f"{name}.py").write_text(f"import numpy as np\ndef torque(t, q, v):\n    {body}\n")
    monkeypatch.syspath_prepend(tmp_path)
    controller = {"plugin": "function", "function": f"{name}:torque"}
    return footfall.load("rrbot/swing", {"bodies.rrbot.controller": controller})


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return np.zeros(3)", r"returned shape \(3,\), expected \(2,\) at t = 0 s"),
        ("return 1.0", r"returned shape \(\), expected \(2,\)"),
        ("return np.array([0.0, np.nan])", "not finite at t = 0 s"),
        ("return np.array([0.0, np.inf]) if t > 0.01 else np.zeros(2)", "not finite at t = 0.011"),
        ("raise RuntimeError('motor on fire')", "step 0, t = 0 s: .*motor on fire"),
        ("return None", "expected"),
        ("return ['a', 'b']", "could not convert|expected|not a number"),
    ],
)
def test_a_function_that_returns_nonsense_is_refused(tmp_path, monkeypatch, body, said):
    sim = function_scene(tmp_path, monkeypatch, body)
    with pytest.raises(SimulationError, match=said):
        sim.record(0.1)


def test_a_function_with_other_arguments_is_refused_with_its_place(tmp_path, monkeypatch):
    (tmp_path / "two_arguments.py").write_text("x = 1\n\n\ndef torque(t, q):\n    return q\n")
    monkeypatch.syspath_prepend(tmp_path)
    controller = {"plugin": "function", "function": "two_arguments:torque"}
    told = r"takes \(t, q\), but is called as function\(time, q, v\) \(two_arguments\.py:4\)"
    with pytest.raises(PluginError, match=told):
        footfall.load("rrbot/swing", {"bodies.rrbot.controller": controller})


def test_a_function_sees_time_and_state_and_its_torque_acts(tmp_path, monkeypatch):
    sim = function_scene(tmp_path, monkeypatch, "return np.array([t, q[0] + 2 * v[1]])")
    for k in range(50):
        q, v = sim.q.copy(), sim.v.copy()
        sim.step()
        np.testing.assert_allclose(sim.signal("tau"), (k * 1e-3, q[0] + 2 * v[1]), atol=1e-15)


def engine_registry(load):
    """Return the installed plugins, with an engine ``odd`` of the given ``load``."""
    registry = footfall.discover()
    odd = type("Odd", (Pinocchio,), {"name": "odd", "load": load, "__doc__": "Odd."})
    registry.engine.add("odd", lambda: odd, summary="an odd engine")
    return registry


def wrong(field, value):
    """Return a ``load`` whose trees have another array in a field."""

    def load(self, source):
        tree = Pinocchio.load(self, source)
        arrays = {name: np.array(getattr(tree, name)) for name in FIELDS}
        return Given(tree.model, **(arrays | {field: value(arrays[field])}))

    return load


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("M", lambda M: M[:-1, :-1], r"M is float64 \(1, 1\), expected .*\(2, 2\)"),
        ("h", lambda h: h[:, None], r"h is float64 \(2, 1\)"),
        ("S", lambda S: S.T.copy(), r"S is float64 \(6, 2\)"),
        ("S", np.asfortranarray, "S is .*C-ordered"),
        ("M", lambda M: M.astype(np.float32), "M is float32"),
        ("pose", lambda pose: pose.tolist(), "pose is a list, not an array"),
    ],
)
def test_an_engine_with_wrong_arrays_is_refused(field, value, said):
    registry = engine_registry(wrong(field, value))
    scene = footfall.load_scene("rrbot/swing", {"engine.plugin": "odd"}, registry)
    with pytest.raises(PluginError, match=said) as caught:
        footfall.assemble(scene, registry)
    assert "odd" in str(caught.value)


class Late(Given):
    """A tree that returns NaN in one field from the eleventh evaluation on."""

    def __init__(self, tree, field):
        super().__init__(tree.model, *(np.array(getattr(tree, n)) for n in FIELDS))
        self.field, self.calls = field, 0

    def evaluate(self, q, v):
        self.calls += 1
        if self.calls > 10:
            getattr(self, self.field)[:] = np.nan


@pytest.mark.parametrize(
    ("field", "said"), [("h", "bias force h"), ("M", "inertia M"), ("S", "is not finite")]
)
def test_an_engine_that_returns_nan_is_named_with_step_and_time(field, said):
    sim = footfall.load("humanoid/standing")
    (body,) = sim.world.bodies
    world = World([replace(body, tree=Late(body.tree, field))], DOWN)
    broken = StepperSimulator(world, laws(), sim.stepper.settings)
    with pytest.raises(SimulationError, match=rf"step \d+, t = 0\.0\d+ s: .*{said}"):
        steps(broken, 20)
