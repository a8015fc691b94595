"""The step as one call of compiled code, and the same stages called one by one: the same bits."""

from dataclasses import replace

import numpy as np
import pytest
from tests.cases import first
from tests.physics.test_joint_stops import scene

import footfall
from footfall.errors import SimulationError
from footfall.interfaces.controller import Controller
from footfall.interfaces.plugin import bound_call
from footfall.jit import checked, stages
from footfall.jit.announcement import compilations
from footfall_bench import touching
from footfall_compliant.contact import Compliant
from footfall_coulomb.contact import Coulomb
from footfall_stepper.kernels.step.impacts import split_step
from footfall_stepper.kernels.step.program import Ending, nothing
from footfall_stepper.kernels.step.stages import apply_impact, assemble, build_impact
from footfall_stepper.stepping import program
from footfall_stepper.stepping.first_call import Check
from footfall_stepper.world.state import own_parts
from footfall_stepper.world.step_arrays import RunSum

PUSHES = [
    {"link": "chest", "force": [40.0, 0.0, 0.0], "start": 0.05, "duration": 0.1005},
    {"link": "chest", "force": [0.0, 20.0, 5.0], "moment": [0.0, 1.0, 0.0], "frame": "link"},
    {"joint": "l_elbow", "effort": 3.0, "start": 0.1},
]
COMPILED = {
    "cube/sliding": {},
    "ball/bounce": {},
    "cube/drop": {},
    "ball/hills": {},
    "icub/standing": {},
    "humanoid/drop": {},
    "fourbar/swinging": {},
    "parallel_leg/hopping": {},
    "icub/drop": {"contact.local_solver": "enumerative"},
    "jvrc/standing": {"contact.max_iterations": 2, "contact.acceleration": "none"},
    "cube/conveyor": {},
    "cube/shaken": {},
    "ball/stairs": {"world.terrain.yaw": 0.1},
    "humanoid/pushed": {"pushes": PUSHES},
    "humanoid/walking": {},
    "humanoid/standing": {
        "bodies.humanoid.controller.rate": 50.0,
        "bodies.humanoid.controller.delay": 0.005,
    },
    "quadruped/standing": {},
    "quadruped/trot": {},
    "planar_box/drop": {"bodies.planar_box.base_position": [0.0, 0.0, 0.085]},
}
ONE_BY_ONE = {
    "engine": ("icub/standing", {"engine.plugin": "pinocchio"}),
    "moving ground": (
        "cube/conveyor",
        {"world.terrain.patches": [{"x": [0.0, 1.0], "friction": 0.3}]},
    ),
    "patches": (
        "cube/sliding",
        {"world.terrain.patches": [{"x": [0.0, 1.0], "friction": 0.3}]},
    ),
    "law": ("planar_box/drop", {"contact.plugin": "gauss"}),
}


def one_by_one(sim):
    """Let Python call every stage of a simulator."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "stage_of", lambda *_: None)
        sim.connect_controllers()
    for stage in sim.stepper.program.stages:
        if stage.late:
            stage.late.compiled = lambda: None
    assert sim.stepper.program.python
    return sim


def pair(scene, overrides):
    """Return a simulator whose stages are called by address, and one that Python calls for."""
    one, other = (footfall.load(scene, overrides=overrides) for _ in range(2))
    return one, one_by_one(other)


@pytest.mark.parametrize("scene", first(*COMPILED, runs=5))
def test_one_call_gives_the_bits_of_stages_called_one_by_one(scene):
    one, other = pair(scene, COMPILED[scene])
    assert not one.stepper.program.python
    for _ in range(300):
        one.step()
        other.step()
        np.testing.assert_array_equal(one.row, other.row)
    np.testing.assert_array_equal(one.state.vector, other.state.vector)
    np.testing.assert_array_equal(one.stepper.monitor.run, other.stepper.monitor.run)


@pytest.mark.parametrize("why", ONE_BY_ONE)
def test_a_part_in_python_is_told_and_called(why):
    scene, overrides = ONE_BY_ONE[why]
    sim = footfall.load(scene, overrides=overrides)
    assert sim.stepper.program.python
    sim.step()


class Counting(Controller):
    """Python that counts how often it is asked."""

    def __init__(self):
        self.times = []

    def setup(self, model, posture):
        pass

    def command(self, observation, command):
        self.times.append(observation.time)
        command.tau[:] = 0.1 * observation.time


def test_a_controller_in_python_is_asked_within_a_call_when_it_is_due():
    sims = [
        footfall.load("humanoid/standing", {"bodies.humanoid.controller.rate": 100.0})
        for _ in range(2)
    ]
    asked = [Counting() for _ in sims]
    for sim, controller in zip(sims, asked, strict=True):
        sim.participants = replace(sim.participants, controllers={"humanoid": controller})
        sim.connect_controllers()
        assert sim.stepper.program.python == ("controllers",)
    one, other = sims
    rows = np.zeros((100, one.layout.width))
    one.make_steps(rows, 0, 100)
    for k in range(100):
        other.step()
        np.testing.assert_array_equal(rows[k], other.row)
    assert asked[0].times == asked[1].times
    np.testing.assert_allclose(asked[0].times, 0.01 * np.arange(10), atol=1e-12)


def test_what_fails_in_the_middle_of_a_call_says_in_which_step():
    class Failing(Counting):
        def command(self, observation, command):
            super().command(observation, command)
            if len(self.times) == 3:
                raise ValueError("no more")

    sim = footfall.load("humanoid/standing", {"bodies.humanoid.controller.rate": 100.0})
    sim.participants = replace(sim.participants, controllers={"humanoid": Failing()})
    sim.connect_controllers()
    with pytest.raises(SimulationError, match=r"step 20, t = 0\.02 s: controller: ValueError: no"):
        sim.make_steps(np.zeros((100, sim.layout.width)), 0, 100)
    assert sim.state.tick == 20


IN_PYTHON = {
    "disc/falling": "continuous time",
    "disc/rolling": "continuous time",
    "hand/holding": "collision detection",
    "humanoid/balancing": "controllers",
    "humanoid/collaboration": "controllers, hands, collision detection",
    "humanoid/grasp": "controllers, collision detection",
    "icub/balancing": "controllers",
    "icub/balancing_pushed": "controllers",
    "icub/seed": 'contact law "gauss"',
    "icub/yoga": "controllers",
    "jvrc/grasp": "controllers",
    "quadruped/scanning": "collision detection",
}
"""Parts of the step that are Python, by bundled scene. Other scenes have none."""


def parts_in_python(scene):
    return ", ".join(footfall.load(scene).stepper.program.python)


@pytest.mark.parametrize("scene", IN_PYTHON)
def test_what_of_a_bundled_scene_is_python(scene):
    assert parts_in_python(scene) == IN_PYTHON[scene]


@pytest.mark.long
@pytest.mark.parametrize("scene", sorted({s.name for s in footfall.list_scenes()} - {*IN_PYTHON}))
def test_of_other_bundled_scenes_nothing_is_python(scene):
    assert parts_in_python(scene) == ""


def test_many_steps_in_one_call_are_many_calls_of_one():
    one, other = pair("ball/rolling", {})
    rows = np.zeros((100, one.layout.width))
    assert one.stepper.program.make(rows, 0, 100, commands=True) == Ending.DONE
    for k in range(100):
        other.step()
        np.testing.assert_array_equal(rows[k], other.row)
    np.testing.assert_array_equal(one.state.vector, other.state.vector)
    assert one.state.tick == 100


def test_a_push_a_grip_and_a_torque_from_python_act_as_without_a_program():
    one, other = pair("humanoid/standing", {})
    link = one.world.link_names[0]
    for sim in (one, other):
        sim.step()
        sim.push(link, force=(20.0, 0.0, 0.0))
        sim.step()
        sim.step(np.full(sim.world.nv - 6, 0.5))
        grip = sim.grab(link)
        for _ in range(20):
            sim.step()
        grip.release()
        sim.step()
    np.testing.assert_array_equal(one.state.vector, other.state.vector)


def test_what_is_tuned_acts_from_the_next_step_on():
    one, other = pair("cube/sliding", {})
    for sim in (one, other):
        sim.tune("bodies.cube.friction", 0.9)
        for _ in range(50):
            sim.step()
    assert not one.stepper.program.python
    np.testing.assert_array_equal(one.state.vector, other.state.vector)


def test_what_is_not_finite_is_named_as_without_a_program():
    told = []
    for sim in pair("cube/drop", {}):
        sim.step()
        sim.v[0] = np.nan
        with pytest.raises(SimulationError) as error:
            sim.step()
        told.append(str(error.value))
    assert told[0] == told[1]
    assert "velocity v" in told[0]


class Heavier(Coulomb):
    """Overrides ``solve`` alone: the kernel that ``bound`` hands out is not all of it."""

    def solve(self, problem, state):
        super().solve(problem, state)
        problem.impulse[:] *= 1.5


class Bound(Coulomb):
    """Overrides both."""

    def solve(self, problem, state):
        raise AssertionError

    def bound(self, problem, state):
        return lambda: None


def test_a_subclass_that_overrides_solve_alone_is_asked_to_solve():
    sim = footfall.load("cube/sliding")
    sim.step()
    problem = sim.stepper.problem
    law = Heavier(sim.stepper.law.config)
    law.name_contacts(sim.world.contact_names)
    before = problem.impulse.copy()
    assert before.any()
    bound_call(law, "solve", problem, {})()
    np.testing.assert_allclose(problem.impulse, 1.5 * before, rtol=1e-6, atol=1e-9)
    bound_call(Bound(law.config), "solve", problem, {})()


class Stiffer(Compliant):
    """Overrides the plain method alone."""

    def stored_energy(self, problem, state):
        return 2.0 * super().stored_energy(problem, state) + 1.0


def test_a_subclass_that_overrides_the_energy_alone_is_asked_for_it():
    sim = footfall.load("planar_box/drop", COMPILED["planar_box/drop"])
    for _ in range(200):
        sim.step()
    stepper, out = sim.stepper, np.zeros(1)
    state = {"deformation": own_parts(sim.state)["contact.deformation"]}
    law = Stiffer(stepper.law.config)
    held = Compliant(law.config).stored_energy(stepper.problem, state)
    assert held > 0.0
    bound_call(law, "stored_energy", stepper.problem, state, out, bound="bound_energy")()
    assert out[0] == 2.0 * held + 1.0


@pytest.mark.parametrize(
    "scene", first("icub/standing", "ball/bounce", "icub/motors", "cube/sliding", runs=3)
)
def test_a_run_records_what_single_steps_give(scene, tmp_path):
    one, other = footfall.load(scene), footfall.load(scene)
    one_by_one(other)
    recorded = one.run(250 * one.time_step, tmp_path / "run.zarr")
    for k in range(250):
        other.step()
        np.testing.assert_array_equal(recorded["q"][k], other.signal("q"))
        np.testing.assert_array_equal(recorded["contact_force"][k], other.signal("contact_force"))
    np.testing.assert_array_equal(one.row, other.row)
    np.testing.assert_array_equal(one.q, other.q)
    np.testing.assert_array_equal(one.v, other.v)


def test_a_run_that_fails_in_the_middle_of_a_call_is_recorded_up_to_there(tmp_path):
    sim = footfall.load("cube/drop")
    sim.v[1] = 1e160
    with pytest.raises(SimulationError, match="not finite"):
        sim.record(1.0, tmp_path / "run.zarr")
    rows = footfall.open_run(tmp_path / "run.zarr").sizes["time"]
    assert rows == sim.state.tick


def test_limits_and_friction_of_joints_are_part_of_the_one_call(tmp_path):
    dynamics = '[joint_dynamics."*"]\nlimits = "model"\nfriction = 0.2\n'
    one, other = (scene(tmp_path, "humanoid", dynamics) for _ in range(2))
    assert not one.stepper.program.python
    one_by_one(other)
    for _ in range(100):
        one.step()
        other.step()
        np.testing.assert_array_equal(one.row, other.row)
    assert one.signal("joint_row_force").any()


def test_signals_that_were_read_are_not_taken_for_those_of_a_later_step():
    one, other = pair("humanoid/standing", {})
    for sim in (one, other):
        start = sim.state.copy()
        assert sim.signals("humanoid").mass_matrix.any()  # evaluated at the start
        for _ in range(3):
            sim.step()
        sim.state.restore(start)
        sim.push(sim.world.link_names[0], force=(1.0, 0.0, 0.0))  # stage by stage
        sim.step()
    np.testing.assert_array_equal(one.row, other.row)


@pytest.mark.skipif(checked.is_on(), reason="nothing is compiled")
def test_what_impacts_need_may_be_compiled_ahead(monkeypatch):
    monkeypatch.setattr(compilations, "ahead", True)
    one = footfall.load("cube/drop")
    late = [stage.called for stage in one.stepper.program.stages]
    late = [found for found in late if isinstance(found, stages.LateStage)]
    assert all(found.cell[1] for found in late if not isinstance(found, Check))
    for _ in range(400):
        one.step()
    assert one.stepper.monitor.run[RunSum.IMPACTS] > 0.0


@pytest.mark.skipif(checked.is_on(), reason="nothing is compiled")
@pytest.mark.parametrize(("bodies", "at_once"), [(3, False), (4, True)])
def test_what_impacts_need_is_loaded_at_once_where_bodies_are_several(bodies, at_once, monkeypatch):
    made, compiled = [], stages.LateStage.compiled
    monkeypatch.setattr(
        stages.LateStage, "compiled", lambda late: made.append(compiled(late)) or made[-1]
    )
    touching.boxes([{"base_position": [0.0, 0.0, k + 1.0]} for k in range(bodies)], 1e-9)
    kernels = {stage.called.kernel for stage in made if stage is not None}
    wanted = {split_step, build_impact, assemble, apply_impact}
    assert wanted <= kernels if at_once else kernels == {nothing}


@pytest.mark.skipif(checked.is_on(), reason="nothing is compiled")
def test_laws_and_impacts_share_the_code_that_assembles_a_problem():
    for law in ("coulomb", "compliant", "gauss"):
        footfall.load("cube/drop", {"contact.plugin": law})
    assert {number for _, number in assemble.entries} == {"f"}
