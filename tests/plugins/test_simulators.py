"""Other simulators as simulators: the same bodies, one recording, and what each of them refuses."""

import numpy as np
import pytest

import footfall
from footfall.errors import RobotWarning, SceneError, SimulationError
from footfall.model import bundled_folder
from footfall_simulators.backend import SimulatorSteps

SIMULATORS = "mujoco", "drake"
ROBOTS = ("humanoid/standing", "quadruped/standing", "rrbot/swing", "planar_box/drop", "cube/stack")
G = 9.81


@pytest.fixture(params=SIMULATORS)
def simulator(request):
    """The settings of each simulator that is there."""
    module = {"mujoco": "mujoco", "drake": "pydrake"}[request.param]
    pytest.importorskip(module, reason=f'needs the extra "{request.param}"')
    chosen = {"simulator.plugin": request.param, "visualizer.plugin": "none"}
    if request.param == "drake":  # so that shapes touch in more than a point
        chosen["simulator.hydroelastic_modulus"] = 1e7
    return chosen


def ours(change):
    """The same change without a simulator."""
    return {key: value for key, value in change.items() if not key.startswith("simulator.")}


def assembled(simulator, tables):
    given = {
        key.partition(".")[2]: value for key, value in simulator.items() if "simulator." in key
    }
    return footfall.assemble(footfall.scene_from_dict({"simulator": given, **tables}))


def cube(simulator, *, terrain=None, **body):
    tables = {
        "world": {"terrain": {"plugin": "plane", "friction": 0.5, **(terrain or {})}},
        "bodies": {"cube": {"robot": "cube", "friction": 0.5, **body}},
    }
    return assembled(simulator, tables)


def random_state(sim, rng):
    world, q = sim.world, sim.q + rng.uniform(-0.5, 0.5, sim.world.nq)
    for tree in np.flatnonzero(world.topology.floating):
        at = world.topology.tree_q[tree] + 3
        q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    return q, rng.uniform(-1.0, 1.0, world.nv)


@pytest.mark.parametrize("scene", ROBOTS)
def test_a_step_in_flight_obeys_our_equation_of_motion(simulator, scene):
    """One short step at random states: the acceleration is that of our own engine to O(dt)."""
    change = {**simulator, "simulation.time_step": 1e-7, "simulation.duration": 1e-5}
    sims = [footfall.load(scene, given) for given in (ours(change), change)]
    rng = np.random.default_rng(0)
    for _ in range(5):
        q, v = random_state(sims[0], rng)
        if sims[0].world.n_contacts or sims[0].world.collider is not None:
            for tree in np.flatnonzero(sims[0].world.topology.floating):
                q[sims[0].world.topology.tree_q[tree] + 2] += 50.0 * (1 + tree)
        if scene == "planar_box/drop":
            q[1] += 50.0
        found = []
        for sim in sims:
            sim.q[:], sim.v[:] = q, v
            sim.step(np.zeros(len(sim.driving.motors)))
            found.append((sim.q - q) / 1e-7)
            found.append((sim.v - v) / 1e-7)
        scale = 1.0 + abs(found[1]).max()
        assert abs(found[0] - found[2]).max() < 1e-4
        assert abs(found[1] - found[3]).max() < 1e-5 * scale


def test_a_cube_slides_as_far_as_friction_lets_it(simulator):
    sim = cube(simulator, base_position=(0.0, 0.0, 0.05), base_linear_velocity=(1.0, 0.0, 0.0))
    run = sim.run(1.0)
    assert float(run.q[-1, 0]) == pytest.approx(1.0 / (2.0 * 0.5 * G), rel=0.05)
    assert float(run.v[-1, 0]) == pytest.approx(0.0, abs=1e-3)


def test_the_recorded_forces_carry_the_weight(simulator):
    run = footfall.load("humanoid/standing", simulator).run(2.0)
    force = run.contact_force.sel(axis="z").sum("contact")[-100:].mean()
    assert float(force) == pytest.approx(run.attrs["weight"], rel=2e-3)


@pytest.mark.parametrize("scene", ["humanoid/standing", "cube/stack", "rrbot/swing"])
def test_a_run_goes_on_bit_for_bit_from_a_saved_state(simulator, scene, tmp_path):
    sim = footfall.load(scene, simulator)
    for _ in range(50):
        sim.step()
    sim.save(tmp_path / "state")
    for _ in range(30):
        sim.step()
    again = footfall.restore(tmp_path / "state")
    for _ in range(30):
        again.step()
    assert again.q.tobytes() == sim.q.tobytes()
    assert again.v.tobytes() == sim.v.tobytes()


def test_gains_act_as_implicitly_as_in_our_own_step(simulator):
    """Without contacts, limits and friction the two steps are one and the same equation."""
    change = {"bodies.rrbot.controller": {"plugin": "posture", "stiffness": 1e4, "damping": 5.0}}
    ends = []
    for given in (ours(simulator), simulator):
        sim = footfall.load("rrbot/swing", {**given, **change})
        sim.q[:] += 0.2
        for _ in range(20):
            sim.step()
        ends.append(np.r_[sim.q, sim.v, sim.signal("tau")])
    scale = 1.0 + abs(ends[0])
    assert (abs(ends[0] - ends[1]) / scale).max() < 2e-2


def test_pushes_and_torques_from_python_act(simulator):
    sims = []
    for given in (ours(simulator), simulator):
        sim = footfall.load("cube/drop", {**given, "simulation.time_step": 1e-5})
        sim.q[2] += 10.0
        for _ in range(500):
            wrench = {"force": (3.0, -2.0, 1.0), "moment": (0.01, 0.02, 0.03)}
            sim.push("cube", **wrench, point=(0.01, 0.0, 0.02))
            sim.step()
        sims.append(sim)
    assert abs(sims[0].v - sims[1].v).max() < 1e-5
    assert abs(sims[0].v[3:]).max() > 0.01


def test_friction_that_is_tuned_while_it_runs_acts(simulator):
    speeds = []
    for mu in (0.5, 0.1):
        start = {"base_position": (0.0, 0.0, 0.05), "base_linear_velocity": (1.0, 0.0, 0.0)}
        sim = cube(simulator, **start)
        for path in ("bodies.cube.friction", "world.terrain.friction"):
            sim.tune(path, mu)
        sim.record(0.1)
        speeds.append(float(sim.v[0]))
    assert speeds[1] - speeds[0] == pytest.approx(0.4 * G * 0.1, rel=0.1)


def test_each_contact_has_its_own_friction(simulator):
    """However pairs are ordered: three cubes on one plane, each with another coefficient."""
    frictions = {"c": 0.6, "a": 0.2, "b": 0.4}
    tables = {
        "world": {"terrain": {"plugin": "plane"}},
        "bodies": {
            name: {
                "robot": "cube",
                "base_position": (0.0, 1.0 * k, 0.05),
                "base_linear_velocity": (2.0, 0.0, 0.0),
            }
            for k, name in enumerate(frictions)
        },
        "pairs": {f"{name}/terrain": {"friction": mu} for name, mu in frictions.items()},
    }
    if simulator["simulator.plugin"] == "mujoco":
        simulator = {**simulator, "simulator.cone": "elliptic"}
    sim = assembled(simulator, tables)
    sim.record(0.05)
    before = sim.v.copy()
    sim.record(0.2)
    for index, body in enumerate(sim.world.bodies):
        slowed = before[6 * index] - sim.v[6 * index]
        assert slowed == pytest.approx(frictions[body.name] * G * 0.2, rel=0.1)


def pendulum(simulator, folder, dynamics, angle):
    """A uniform rod of 1 kg and 1 m that hangs on a hinge with limits or friction."""
    source = bundled_folder() / "pendulum"
    text = (source / "robot.toml").read_text().replace('file = "', f'file = "{source}/')
    (folder / "robot.toml").write_text(f"{text}\n[joint_dynamics.hinge]\n{dynamics}\n")
    (folder / "scene.toml").write_text(
        '[simulation]\nduration = 2.0\n[world.terrain]\nplugin = "plane"\n[bodies.robot]\n'
        f'robot = "robot.toml"\njoint_positions = {{ hinge = {angle} }}\n'
    )
    return footfall.load(folder / "scene.toml", simulator)


def test_limits_of_joints_hold_and_say_with_what(simulator, tmp_path):
    """A rod that comes to rest on its limit: what holds it is its weight's moment."""
    run = pendulum(simulator, tmp_path, "limits = [0.3, 2.0]\ndamping = 1.0", 0.5).run(4.0)
    held = run.joint_row_force.sel(joint_row="robot/hinge/lower").values[-1]
    angle = float(run.q[-1, 0])
    assert held == pytest.approx(G / 2.0 * np.sin(angle), rel=1e-3)
    assert angle == pytest.approx(0.3, abs=0.02)


@pytest.mark.filterwarnings(
    "ignore:.*joint friction is modelled as damping:footfall.errors.RobotWarning"
)
def test_friction_of_joints_takes_its_torque_times_the_angle(simulator, tmp_path):
    run = pendulum(simulator, tmp_path, "friction = 0.5", 1.5).run(5.0)
    way = np.abs(np.diff(run.q.values[:, 0])).sum()
    assert run.dissipated_energy.values[-1] == pytest.approx(0.5 * way, rel=0.02)
    assert way > 2.0


def test_what_is_set_aside_is_told_in_one_line(simulator):
    change = {**simulator, "simulation.restitution_threshold": 0.1}
    (note,) = footfall.load_scene("cube/drop", change).notes
    words = "contact", "impact", "integrator", "simulation.restitution_threshold"
    for word in (f'"{simulator["simulator.plugin"]}"', *words):
        assert word in note


def test_restitution_is_told_of(simulator):
    with pytest.warns(RobotWarning, match="restitution"):
        cube(simulator, restitution=0.5)


@pytest.mark.parametrize(
    ("scene", "change", "words"),
    [
        ("fourbar/swinging", {}, r'closed loops.*\(simulator.plugin = "footfall" does\)'),
        ("cube/conveyor", {}, 'a moving ground.*"footfall" does'),
        ("cube/drop", {"simulator.cones": "elliptic"}, "cone"),
    ],
)
def test_what_it_has_no_place_for_is_refused(simulator, scene, change, words):
    with pytest.raises(SceneError, match=words):
        footfall.load(scene, {**simulator, **change})


def test_a_name_that_is_none_is_refused_with_the_nearest():
    with pytest.raises(SceneError, match="mujoco"):
        footfall.load("cube/drop", {"simulator.plugin": "mujuco"})


def test_a_batch_refuses_it_by_name(simulator):
    with pytest.raises(SimulationError, match=f'simulator "{simulator["simulator.plugin"]}"'):
        footfall.Batch("humanoid/standing", 2, overrides=simulator)


def test_a_simulator_that_fails_keeps_the_recording(simulator, tmp_path, monkeypatch):
    sim, given = footfall.load("cube/drop", simulator), SimulatorSteps.given

    def fails(self):
        if sim.state.tick == 20:
            raise RuntimeError("the solver found nothing")
        return given(self)

    monkeypatch.setattr(SimulatorSteps, "given", fails)
    with pytest.raises(SimulationError, match=r"step 20.*found nothing"):
        sim.record(0.1, tmp_path / "run.zarr")
    assert len(footfall.open_run(tmp_path / "run.zarr").time) == 20


def test_a_recording_made_by_it_loads_as_its_scene_again(simulator):
    own = {"mujoco": ("cone", "elliptic"), "drake": ("discrete_contact_approximation", "sap")}
    key, value = own[simulator["simulator.plugin"]]
    sim = footfall.load("cube/drop", {**simulator, f"simulator.{key}": value})
    scene = footfall.stored_scene(sim.provenance.resolved, footfall.discover())
    assert scene.simulator.plugin == simulator["simulator.plugin"]
    assert getattr(scene.simulator.config, key) == value
    assert "simulator" not in footfall.load("cube/drop").provenance.resolved["scene"]
