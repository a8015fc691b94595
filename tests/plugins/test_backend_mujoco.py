"""MuJoCo as a backend: the same bodies, one recording, and what it refuses."""

import numpy as np
import pytest

import footfall
from footfall.errors import RobotWarning, SceneError, SimulationError

mujoco = pytest.importorskip("mujoco", reason="needs the extra mujoco")

BACKEND = {"backend.plugin": "mujoco", "visualizer.plugin": "none"}
ROBOTS = ("humanoid/standing", "quadruped/standing", "rrbot/swing", "planar_box/drop", "cube/stack")
G = 9.81


def cube(*, more=None, terrain=None, **body):
    tables = {
        "backend": {"plugin": "mujoco", **(more or {})},
        "world": {"terrain": {"plugin": "plane", "friction": 0.5, **(terrain or {})}},
        "bodies": {"cube": {"robot": "cube", "friction": 0.5, **body}},
    }
    return footfall.assemble(footfall.scene_from_dict(tables))


def random_state(sim, rng):
    world, q = sim.world, sim.q + rng.uniform(-0.5, 0.5, sim.world.nq)
    for tree in np.flatnonzero(world.topology.floating):
        at = world.topology.tree_q[tree] + 3
        q[at : at + 4] /= np.linalg.norm(q[at : at + 4])
    return q, rng.uniform(-1.0, 1.0, world.nv)


@pytest.mark.parametrize("scene", ROBOTS)
def test_a_step_in_flight_obeys_our_equation_of_motion(scene):
    """One short step at random states: the acceleration is that of our own engine to O(dt)."""
    change = {**BACKEND, "simulation.time_step": 1e-7, "simulation.duration": 1e-5}
    sims = [
        footfall.load(scene, {**change, "backend.plugin": name}) for name in ("footfall", "mujoco")
    ]
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
            sim.step(np.zeros(sum(len(b.model.joint_names) for b in sim.world.bodies)))
            found.append((sim.q - q) / 1e-7)
            found.append((sim.v - v) / 1e-7)
        scale = 1.0 + abs(found[1]).max()
        assert abs(found[0] - found[2]).max() < 1e-4
        assert abs(found[1] - found[3]).max() < 1e-5 * scale


def test_a_cube_slides_as_far_as_friction_lets_it():
    sim = cube(base_position=(0.0, 0.0, 0.05), base_linear_velocity=(1.0, 0.0, 0.0))
    run = sim.run(1.0)
    assert float(run.q[-1, 0]) == pytest.approx(1.0 / (2.0 * 0.5 * G), rel=0.05)
    assert float(run.v[-1, 0]) == pytest.approx(0.0, abs=1e-3)


def test_the_recorded_forces_carry_the_weight():
    run = footfall.load("humanoid/standing", BACKEND).run(2.0)
    force = run.contact_force.sel(axis="z").sum("contact")[-100:].mean()
    assert float(force) == pytest.approx(run.attrs["weight"], rel=2e-3)


def test_contacts_between_shapes_are_recorded_and_carry_the_weight():
    sim = footfall.load("cube/stack", BACKEND)
    run = sim.run(2.0)
    bodies = sim.world.bodies
    masses = np.array([b.model.mass for b in bodies])
    start = len(run.time) - 1
    total = np.asarray(run.collision_wrench)[start, :, 2] if "collision_wrench" in run else None
    assert total is not None
    grounded = run.contact_force.sel(axis="z").sum("contact")[-1] if "contact_force" in run else 0.0
    assert float(grounded) + total.sum() == pytest.approx(masses.sum() * G, rel=0.05)


@pytest.mark.parametrize("scene", ["humanoid/standing", "cube/stack", "rrbot/swing"])
def test_a_run_goes_on_bit_for_bit_from_a_saved_state(scene, tmp_path):
    sim = footfall.load(scene, BACKEND)
    for _ in range(150):
        sim.step()
    sim.save(tmp_path / "state")
    for _ in range(100):
        sim.step()
    again = footfall.restore(tmp_path / "state")
    for _ in range(100):
        again.step()
    assert again.q.tobytes() == sim.q.tobytes()
    assert again.v.tobytes() == sim.v.tobytes()


def test_gains_act_as_implicitly_as_in_our_own_step():
    """Without contacts, limits and friction the two steps are one and the same equation."""
    change = {"bodies.rrbot.controller": {"plugin": "posture", "stiffness": 1e4, "damping": 5.0}}
    ends = []
    for name in ("footfall", "mujoco"):
        sim = footfall.load("rrbot/swing", {**BACKEND, **change, "backend.plugin": name})
        sim.q[:] += 0.2
        for _ in range(20):
            sim.step()
        ends.append(np.r_[sim.q, sim.v, sim.signal("tau")])
    scale = 1.0 + abs(ends[0])
    assert (abs(ends[0] - ends[1]) / scale).max() < 2e-2


def test_pushes_and_torques_from_python_act():
    sims = []
    for name in ("footfall", "mujoco"):
        change = {**BACKEND, "simulation.time_step": 1e-5, "backend.plugin": name}
        sim = footfall.load("cube/drop", change)
        sim.q[2] += 10.0
        for _ in range(500):
            wrench = {"force": (3.0, -2.0, 1.0), "moment": (0.01, 0.02, 0.03)}
            sim.push("cube", **wrench, point=(0.01, 0.0, 0.02))
            sim.step()
        sims.append(sim)
    assert abs(sims[0].v - sims[1].v).max() < 1e-5
    assert abs(sims[0].v[3:]).max() > 0.01


def test_friction_that_is_tuned_while_it_runs_acts():
    speeds = []
    for mu in (0.5, 0.1):
        sim = cube(base_position=(0.0, 0.0, 0.05), base_linear_velocity=(1.0, 0.0, 0.0))
        for path in ("bodies.cube.friction", "world.terrain.friction"):
            sim.tune(path, mu)
        sim.record(0.1)
        speeds.append(float(sim.v[0]))
    assert speeds[1] - speeds[0] == pytest.approx(0.4 * G * 0.1, rel=0.1)


def test_each_contact_has_its_own_friction():
    """However MuJoCo orders its pairs: three cubes on one plane, each with another coefficient."""
    frictions = {"c": 0.6, "a": 0.2, "b": 0.4}
    tables = {
        "backend": {"plugin": "mujoco", "cone": "elliptic"},
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
    sim = footfall.assemble(footfall.scene_from_dict(tables))
    sim.record(0.05)
    before = sim.v.copy()
    sim.record(0.2)
    for index, body in enumerate(sim.world.bodies):
        slowed = before[6 * index] - sim.v[6 * index]
        assert slowed == pytest.approx(frictions[body.name] * G * 0.2, rel=0.1)


def test_what_is_set_aside_is_told_in_one_line():
    scene = footfall.load_scene("cube/drop", {**BACKEND, "simulation.restitution_threshold": 0.1})
    (note,) = scene.notes
    for word in ('"mujoco"', "contact", "impact", "integrator", "simulation.restitution_threshold"):
        assert word in note


def test_restitution_is_told_of():
    with pytest.warns(RobotWarning, match="restitution"):
        cube(restitution=0.5)


@pytest.mark.parametrize(
    ("scene", "change", "words"),
    [
        ("fourbar/swinging", {}, "closes no loops"),
        ("cube/conveyor", {}, "still ground"),
        ("cube/drop", {"bodies.cube.torsional_friction": 0.01}, "moments of friction"),
        ("cube/drop", {"backend.cone": "round"}, "cone"),
        ("cube/drop", {"backend.cones": "elliptic"}, "cone"),
        ("cube/drop", {"backend.plugin": "mujuco"}, "mujoco"),
    ],
)
def test_what_it_has_no_place_for_is_refused(scene, change, words):
    with pytest.raises(SceneError, match=words):
        footfall.load(scene, {**BACKEND, **change})


def test_a_batch_refuses_it_by_name():
    with pytest.raises(SimulationError, match='backend "mujoco"'):
        footfall.Batch("humanoid/standing", 2, overrides=BACKEND)


def test_a_backend_that_fails_keeps_the_recording(tmp_path, monkeypatch):
    sim, step = footfall.load("cube/drop", BACKEND), mujoco.mj_step

    def fails(model, data):
        if sim.state.tick == 20:
            raise mujoco.FatalError("mj_stackAlloc: out of memory")
        step(model, data)

    monkeypatch.setattr(mujoco, "mj_step", fails)
    with pytest.raises(SimulationError, match=r"step 20.*out of memory"):
        sim.record(0.1, tmp_path / "run.zarr")
    assert len(footfall.open_run(tmp_path / "run.zarr").time) == 20


def test_what_mujoco_warns_of_ends_the_run_and_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sim = footfall.load("cube/drop", BACKEND)
    sim.stepper.law.model.opt.gravity[2] = np.nan
    with pytest.raises(SimulationError, match=r"step 0|not finite"):
        sim.step()
    assert not list(tmp_path.iterdir())


def test_a_recording_made_by_it_loads_as_its_scene_again():
    sim = footfall.load("cube/drop", {**BACKEND, "backend.cone": "elliptic"})
    scene = footfall.stored_scene(sim.provenance.resolved, footfall.discover())
    assert scene.backend.plugin == "mujoco"
    assert scene.backend.config.cone == "elliptic"
    assert "backend" not in footfall.load("cube/drop").provenance.resolved["scene"]
