"""Alarms are heard in Python, and name the part that is broken; what is sound raises none."""

import pickle
import warnings
from functools import partial

import numpy as np
import pytest
from tests.cases import each
from tests.robot_packages import need_package

import footfall
from footfall.cli.main import main
from footfall.scene.find import list_scenes
from footfall_check.new.templates.contact_force import NewPlugin as Forces
from footfall_watch import start_check
from footfall_watch.unsteady import Chatter

ARM = """<robot name="arm">
  <link name="base"/>
  <joint name="one" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="20" velocity="10"/></joint>
  <link name="upper"><inertial><origin xyz="0 0 -0.2"/><mass value="1"/>
    <inertia ixx="0.004" iyy="0.004" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="two" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 -0.4"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" effort="20" velocity="10"/></joint>
  <link name="lower"><inertial><origin xyz="0 0 -0.2"/><mass value="0.5"/>
    <inertia ixx="0.002" iyy="0.002" izz="0.0005" ixy="0" ixz="0" iyz="0"/></inertial></link>
</robot>"""
FREE = 'base = "fixed"\nbase_position = [0.0, 0.0, 1.0]\n[model]\nfile = "model.urdf"\n'
FREE += '[joint_dynamics."*"]\nlimits = "model"\n'
LIMITED = FREE + '[[actuators]]\njoints = ["one", "two"]\ntorque_limit = "model"\n'
BODY = """<robot name="body"><link name="body"><inertial><mass value="1.5"/>
  <inertia ixx="{0}" iyy="{0}" izz="{1}" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
MOVING = 'base = "floating"\n[model]\nfile = "model.urdf"\n'
TIP = MOVING + (
    '[[loops]]\nname = "tip"\nkind = "point"\na = {frame = "body", position = [0.0, 0.0, -0.2]}\n'
    'b = {frame = "world", position = [0.0, 0.0, 1.0]}\n'
)
CORNERS = MOVING + (
    '[[contact_features]]\nframe = "body"\nkind = "point"\n'
    "points = [[-0.5, -0.5, 0.0], [-0.5, 0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0]]\n"
)
CUBE = {"shape": {"type": "box", "size": [0.2, 0.2, 0.2]}, "friction": 0.5}


@pytest.fixture
def robot(tmp_path, monkeypatch):
    """Write a robot, and return its file."""
    monkeypatch.syspath_prepend(str(__file__).rpartition("/")[0])

    def write(urdf, toml):
        (tmp_path / "model.urdf").write_text(urdf)
        (tmp_path / "robot.toml").write_text(toml)
        return str(tmp_path / "robot.toml")

    return write


def scene(bodies, duration=1.0, step=1e-3, **more):
    world = {"terrain": {"friction": 0.5}} | more.pop("world", {})
    times = {"duration": duration, "time_step": step}
    return footfall.scene_from_dict({"simulation": times, "world": world, "bodies": bodies, **more})


def heard(made, duration=None):
    """Return the words that Python hears of a scene: its error, its first alarm, or warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = made()
            sim = footfall.load(*made) if isinstance(made, tuple) else footfall.assemble(made)
            report = sim.record(duration)
            alarms = [str(w.message) for w in caught if w.category is footfall.Alarm]
            assert tuple(alarms) == report.alarms
        except footfall.FootfallError as error:
            alarms = [str(w.message) for w in caught if w.category is footfall.Alarm]
            return alarms[0] if alarms else str(error)
    return alarms[0] if alarms else "".join(str(w.message) for w in caught[:1])


def arm(robot, function, toml=FREE, step=1e-3, **pace):
    controller = {"plugin": "function", "function": f"alarm_functions:{function}", **pace}
    body = {"robot": robot(ARM, toml), "controller": controller}
    return scene({"arm": body}, 0.6, step)


def pair(light, heavy, height, duration=0.5):
    bodies = {
        "low": CUBE | {"mass": light, "base_position": [0.0, 0.0, 0.1]},
        "high": CUBE | {"mass": heavy, "base_position": [0.0, 0.0, height]},
    }
    return scene(bodies, duration, collisions={"ground": "shapes"})


def alone(duration=0.3, **body):
    more = {key: body.pop(key) for key in ("world", "impact", "contact") if key in body}
    return scene({"box": CUBE | body}, duration, body.pop("step", 1e-3), **more)


def gripper(robot):
    """Two pads that close on a box, 10 cm farther than it is wide."""
    pads = {
        name: CUBE
        | {"fixed": True, "base_position": [0.25 * side, 0.0, 0.3]}
        | {"motion": {"velocity": [-0.5 * side, 0.0, 0.0]}}
        for name, side in (("left", -1.0), ("right", 1.0))
    }
    return scene({"box": CUBE | {"base_position": [0.0, 0.0, 0.3]}, **pads}, 0.3)


def top(robot, speed=300.0, integrator="semi_implicit_euler"):
    axis = np.array([np.sin(0.6), 0.0, np.cos(0.6)])
    body = {
        "robot": robot(BODY.format(0.004, 0.003), TIP),
        "base_position": (np.array([0.0, 0.0, 1.0]) + 0.2 * axis).tolist(),
        "base_orientation": [0.0, 0.6, 0.0],
        "base_angular_velocity": (speed * axis).tolist(),
    }
    return scene({"top": body}, 0.2, integrator={"plugin": integrator})


def plate(robot, inertia=0.08, duration=1.2):
    body = {"robot": robot(BODY.format(inertia, 2 * inertia), CORNERS), "friction": 0.5}
    pedestal = {"position": [0.0, 0.0, 0.0], "size": [0.3, 0.3, 0.5]}
    terrain = {"plugin": "steps", "friction": 0.5, "boxes": [pedestal]}
    body |= {"base_position": [0.0, 0.0, 0.55]}
    return scene({"plate": body}, duration, world={"terrain": terrain})


def bounce(robot, impact):
    """A box of restitution 0.9 with friction that tumbles."""
    shape = {"type": "box", "size": [0.2, 0.12, 0.08]}
    turns = {"base_orientation": [0.07, 2.7, -2.14], "base_angular_velocity": [9.0, -3.8, -1.5]}
    body = turns | {"shape": shape, "mass": 1.3, "base_linear_velocity": [2.0, -0.6, 0.0]}
    body |= {"base_position": [0.0, 0.0, 0.5], "friction": 0.5, "restitution": 0.9}
    terrain = {"friction": 0.5, "restitution": 0.9}
    return scene({"box": body}, 3.0, world={"terrain": terrain}, impact={"plugin": impact})


def bundled(name, **changes):
    return lambda robot: (name, {key.replace("__", "."): x for key, x in changes.items()})


def of(make, *args, **named):
    return lambda robot: make(robot, *args, **named)


def plain(make, *args, **named):
    return lambda robot: make(*args, **named)


BROKEN = {
    "heavy on light": (plain(pair, 1.0, 1e8, 0.35), "masses"),
    "heavy falls on light": (plain(pair, 1e-3, 1e6, 0.5, 0.25), "masses"),
    "explicit damping": (of(arm, "damped"), "the controller chatters"),
    "explicit damping, limited": (of(arm, "damped", LIMITED), "the controller chatters"),
    "explicit stiffness, limited": (of(arm, "stiff", LIMITED), "the controller chatters"),
    "explicit gains, coarse steps": (of(arm, "soft", step=0.02), "the controller chatters"),
    "explicit gains of a humanoid": (
        bundled("humanoid/standing", bodies__humanoid__controller__method="explicit"),
        "the controller chatters",
    ),
    "gains at a torque limit": (
        bundled(
            "quadruped/standing",
            bodies__quadruped__controller={"plugin": "posture", "stiffness": 3e5, "damping": 3e4},
            bodies__quadruped__base_position=[0.0, 0.0, 0.6],
        ),
        "gains at a torque limit",
    ),
    "coarse steps of another simulator": (
        bundled(
            "rrbot/swing",
            simulator__plugin="mujoco",
            simulation__time_step=0.05,
            bodies__rrbot__joint_velocities={"joint1": 30.0, "joint2": -30.0},
        ),
        'simulator "mujoco" adds it with steps of 0.05 s',
    ),
    "noise": (of(arm, "noisy"), "or amplify noise"),
    "held commands": (of(arm, "medium", LIMITED, rate=100.0), "a delay of 0.009 s"),
    "late commands": (of(arm, "medium", LIMITED, delay=0.01), "a delay of 0.01 s"),
    "wrong sign": (of(arm, "reversed_sign"), "check its sign, gains and delay"),
    "start in the ground": (
        plain(alone, base_position=[0.0, 0.0, -0.05]),
        "start it higher",
    ),
    "start far below": (plain(alone, base_position=[0.0, 0.0, -5.0]), "start it higher"),
    "start in each other": (plain(pair, 1.0, 1.0, 0.15), "start it higher"),
    "spinning box": (
        lambda robot: scene(
            {
                "box": CUBE
                | {"shape": {"type": "box", "size": [0.2, 0.12, 0.08]}}
                | {"base_position": [0.0, 0.0, 5.0], "base_angular_velocity": [3.0, 300.0, 1.0]}
            },
            0.2,
        ),
        "it turns by 0.33 rad a step",
    ),
    "spinning top": (of(top), 'or integrator.plugin = "moreau_midpoint"'),
    "gripper": (gripper, "they squeeze what is between"),
    "corners": (of(plate), 'ground = "shapes"'),
    "soft ground": (
        bundled(
            "cube/drop", contact__plugin="compliant", contact__stiffness=20.0, contact__damping=1.0
        ),
        "too soft for the weight",
    ),
    "stiff ground": (
        bundled("cube/drop", contact__plugin="compliant", contact__stiffness=1e12),
        "is too long for contact",
    ),
    "two impact models": (
        bundled("cube/drop", impact__plugin="inelastic"),
        "leave impact.plugin out",
    ),
    "relaxed law": (bundled("cube/sliding", contact__plugin="ccp"), "is a relaxation"),
    "restitution alone": (of(bounce, "none"), 'set impact.plugin = "dissipative"'),
    "coarse steps, linkage": (
        bundled("fourbar/swinging", simulation__time_step=0.05),
        "steps of 0.05 s",
    ),
    "coarse steps, pendulum": (
        bundled("pendulum/swing", simulation__time_step=0.1),
        "steps of 0.1 s",
    ),
    "a step in tenths of a second": (
        bundled("humanoid/standing", simulation__time_step=0.1),
        "simulation.time_step: 0.1 s is long",
    ),
    "gravity along y": (
        bundled("cube/drop", world__gravity=[0.0, -9.81, 0.0]),
        "z points up",
    ),
    "gravity upwards": (bundled("cube/drop", world__gravity=[0.0, 0.0, 9.81]), "points up"),
    "millimetres": (
        plain(
            alone,
            mass=1.0,
            shape={"type": "box", "size": [30.0] * 3},
            base_position=[0.0, 0.0, 15.0],
        ),
        "lighter than air",
    ),
    "inertia in g cm^2": (of(plate, 8e5, 0.1), "lighter than air"),
    "friction below zero": (bundled("cube/sliding", bodies__cube__friction=-1.0), ">= 0"),
    "restitution above one": (bundled("ball/bounce", bodies__ball__restitution=1.5), "<= 1"),
}
SOUND = {
    "soft gains": of(arm, "soft"),
    "implicit gains": of(arm, "implicit"),
    "a steep slope": bundled("box/slope", world__terrain__friction=0.05),
    "a humanoid that falls over": bundled(
        "humanoid/standing",
        bodies__humanoid__base_linear_velocity=[2.0, 0.0, 0.0],
        simulation__duration=1.0,
    ),
    "a humanoid without gains": bundled(
        "humanoid/standing",
        bodies__humanoid__controller__stiffness=0.0,
        bodies__humanoid__controller__damping=0.0,
        simulation__duration=1.0,
    ),
    "no friction": bundled("cube/sliding", bodies__cube__friction=0.0),
    "ten thousand times heavier": plain(pair, 1.0, 1e4, 0.3),
    "a fast ball": lambda robot: scene(
        {
            "ball": {"shape": {"type": "sphere", "radius": 0.1}, "friction": 0.5, "mass": 1.0}
            | {"base_position": [0.0, 0.0, 0.1], "base_angular_velocity": [0.0, 400.0, 0.0]}
        },
        0.2,
    ),
    "restitution": of(bounce, "dissipative"),
    "a slow top": of(top, 150.0),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_named(name, robot):
    make, words = BROKEN[name]
    assert words in heard(partial(make, robot))


@pytest.mark.parametrize("name", SOUND)
def test_what_is_sound_raises_no_alarm(name, robot):
    assert heard(partial(SOUND[name], robot)) == ""


class Driving(Forces):
    """A law of somebody else's whose friction has the wrong sign."""

    name = "driving"

    def force(self, problem, state, rate, out):
        super().force(problem, state, rate, out)
        out.reshape(-1, 3)[:, :2] *= -1.0


def test_a_law_that_is_not_ours_is_sent_to_its_checks():
    registry = footfall.discover()
    registry.contact.add("driving", lambda: Driving, summary="friction of the wrong sign")
    made = footfall.load_scene("cube/sliding", {"contact.plugin": "driving"}, registry)
    with pytest.warns(footfall.Alarm, match="footfall check contact driving"):
        footfall.assemble(made, registry).record(0.2)


def test_the_plate_lies_on_the_pedestal_by_its_shape():
    pedestal = {"position": [0.0, 0.0, 0.0], "size": [0.3, 0.3, 0.5]}
    terrain = {"plugin": "steps", "friction": 0.5, "boxes": [pedestal]}
    body = CUBE | {"shape": {"type": "box", "size": [1.0, 1.0, 0.05]}, "mass": 1.5}
    body |= {"base_position": [0.0, 0.0, 0.55]}
    sim = footfall.assemble(scene({"plate": body}, 1.2, world={"terrain": terrain}))
    assert sim.record().alarms == ()
    assert sim.q[2] == pytest.approx(0.525, abs=1e-3)


def test_the_midpoint_cures_the_top(robot):
    """Nutation in 0.5 s of steady precession; Goldstein, Classical Mechanics, 5.7."""
    from scipy.spatial.transform import Rotation

    A, C, torque, tilt, spin = 0.004 + 1.5 * 0.04, 0.003, 1.5 * 9.80665 * 0.2, 0.6, 300.0
    root = np.sqrt((C * spin) ** 2 - 4.0 * A * np.cos(tilt) * torque)
    turn = (C * spin - root) / (2.0 * A * np.cos(tilt))
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    rate = turn * np.array([0.0, 0.0, 1.0]) + (spin - turn * np.cos(tilt)) * axis
    found = {}
    for integrator in ("semi_implicit_euler", "moreau_midpoint"):
        sim = footfall.assemble(top(robot, integrator=integrator))
        sim.v[:3] = Rotation.from_quat(sim.q[3:7]).inv().apply(np.cross(rate, 0.2 * axis))
        sim.v[3:] = Rotation.from_quat(sim.q[3:7]).inv().apply(rate)
        tilts = []
        for _ in range(500):
            sim.step()
            tilts.append(np.arccos(Rotation.from_quat(sim.q[3:7]).apply([0, 0, 1])[2]))
        found[integrator] = np.abs(np.array(tilts) - tilt).max()
    assert found["moreau_midpoint"] < 0.02
    assert found["semi_implicit_euler"] > 5.0 * found["moreau_midpoint"]


def stepped(step, times):
    for _ in range(times):
        step()


CCP = {"contact.plugin": "ccp"}


def test_a_run_warns_at_the_users_line():
    sim = footfall.load("cube/sliding", CCP)
    with pytest.warns(footfall.Alarm) as caught:
        run = sim.run(0.1)
    (one,) = caught
    assert one.filename == __file__
    alarm = one.message
    assert run.attrs["alarms"] == [str(alarm)]
    assert (alarm.kind, alarm.time) == ("contacts", 0.0)
    assert alarm.place.startswith("cube/cube/")
    assert alarm.cause in str(alarm)
    copy = pickle.loads(pickle.dumps(alarm))
    assert (str(copy), copy.place, copy.time) == (str(alarm), alarm.place, alarm.time)


def test_raise_on_alarm_ends_the_run_and_the_recording_is_kept(tmp_path):
    sim = footfall.load("cube/sliding", CCP)
    with pytest.raises(footfall.Alarm, match="relaxation"):
        sim.run(1.0, tmp_path / "run", raise_on_alarm=True)
    assert sim.time < 0.2
    with footfall.open_run(tmp_path / "run") as run:
        assert len(run.attrs["alarms"]) == 1
    assert footfall.load("cube/sliding").record(0.1, raise_on_alarm=True).alarms == ()


def test_a_filter_makes_it_an_error_of_footfall():
    sim = footfall.load("cube/sliding", CCP)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=footfall.Alarm)
        with pytest.raises(footfall.FootfallError, match="relaxation"):
            sim.run(0.1)


def test_the_command_line_prints_it_once(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = "run cube/sliding --set contact.plugin=ccp --duration 0.1 --no-record"
    with pytest.raises(SystemExit):
        main(arguments.split())
    printed = capsys.readouterr()
    assert printed.out.count("relaxation") == 1
    assert "relaxation" not in printed.err


def test_single_steps_are_heard_once_a_run(robot):
    sim = footfall.assemble(arm(robot, "damped", LIMITED))
    start = sim.state.copy()
    for _ in range(2):
        with pytest.warns(footfall.Alarm) as caught:
            stepped(sim.step, 100)
        assert len(caught) == len(sim.listener.alarms) == 1
        sim.state.restore(start)


def test_a_loop_that_fails_at_once_is_heard():
    sim = footfall.load("humanoid/standing", {"bodies.humanoid.controller.method": "explicit"})
    with (
        pytest.warns(footfall.Alarm, match="the controller chatters"),
        pytest.raises(footfall.FootfallError, match="not finite"),
    ):
        stepped(sim.step, 20)


def test_a_missed_impact_of_the_first_steps_is_heard():
    plate = {"shape": {"type": "box", "size": [0.5, 0.002, 0.5]}, "fixed": True, "friction": 0.5}
    ball = {"shape": {"type": "sphere", "radius": 0.005}, "mass": 0.01, "friction": 0.5}
    ball |= {"base_position": [0.0, -1.0, 0.5], "base_linear_velocity": [0.0, 300.0, 0.0]}
    plate |= {"base_position": [0.0, 0.0, 0.5]}
    given = {"simulation": {"max_impact_splits": 0}, "bodies": {"plate": plate, "ball": ball}}
    with pytest.warns(footfall.Alarm, match="max_impact_splits is 0"):
        stepped(footfall.assemble(footfall.scene_from_dict(given)).step, 50)


@pytest.mark.parametrize("stiffness", [1e6, 2e7])
def test_the_named_substeps_cure(stiffness):
    """Springs that are stable at rest, and too stiff for a landing at 3 m/s."""
    law = {"plugin": "regularized", "stiffness": stiffness, "damping": 100.0}
    changes = {"contact": law, "simulation.substeps": "auto", "simulation.duration": 0.35}
    cause = heard(lambda: ("cube/drop", changes))
    parts = int(cause.partition("substeps = ")[2].partition(",")[0])
    assert heard(lambda: ("cube/drop", changes | {"simulation.substeps": parts})) == ""


def test_torques_of_a_loop_that_chatter_are_named(robot):
    import alarm_functions

    sim = footfall.assemble(arm(robot, "soft", LIMITED))

    def step():
        sim.step(np.clip(alarm_functions.damped(sim.time, sim.q, sim.v), -20.0, 20.0))

    with pytest.warns(footfall.Alarm, match="the controller chatters, the torque of two"):
        stepped(step, 100)


@each(("every", "steps", "heard"), [(5, 20, False), (1, 20, True), (5, 101, True), (8, 101, False)])
def test_torques_of_few_steps_must_turn_faster_to_chatter(every, steps, heard):
    """A foot that lands turns its ankle's torque every 5 steps, for a few of them."""
    sim = footfall.load("rrbot/swing")
    rows, sign = np.zeros((steps, sim.row.size)), (-1.0) ** (np.arange(steps) // every)
    joint = sim.world.joint_dofs[0]
    for name in ("tau", "v"):
        rows[:, sim.layout.slice_of(name).start + joint] = sign
    rows[:, sim.layout.slice_of("v").start + joint] += 0.01 * (-1.0) ** np.arange(steps)
    chatter = Chatter(sim)
    chatter.see(rows)
    assert bool(chatter.found()[0]) == heard


@pytest.mark.parametrize("scene_name", [listing.name for listing in list_scenes()])
def test_bundled_scenes_step_by_step_are_silent(scene_name):
    """Whole runs of them are in ``test_scenes_run``."""
    need_package(scene_name)
    sim = footfall.load(scene_name)
    with warnings.catch_warnings():
        warnings.simplefilter("error", footfall.Alarm)
        stepped(sim.step, 61)
    assert sim.listener.alarms == []


@pytest.mark.parametrize("scene_name", ["cube/drop", "fourbar/swinging", "humanoid/standing"])
def test_states_set_between_steps_are_no_alarm(scene_name):
    sim, rng = footfall.load(scene_name), np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", footfall.Alarm)
        for k in range(300):
            if k % 7 == 3:
                sim.v[:] += rng.normal(0.0, 1.0, sim.v.shape)
            sim.step()
    assert sim.listener.alarms == []


def test_a_batch_hears_its_runs(monkeypatch):
    monkeypatch.setattr(start_check, "check_step", lambda *_: 1)
    changes = {"contact.plugin": "compliant", "simulation.time_step": 5e-3}
    with footfall.Batch("cube/sliding", 3, overrides=changes) as batch:
        with pytest.warns(footfall.Alarm, match="energy from nothing in 3 of 3 runs") as caught:
            stepped(batch.step, 60)
        assert len(caught) == 1
        assert sorted(batch.alarms) == [0, 1, 2]
        batch.reset(np.array([True, False, False]))
        assert sorted(batch.alarms) == [1, 2]
    with (
        footfall.Batch("cube/sliding", 1, overrides=changes, raise_on_alarm=True) as batch,
        pytest.raises(footfall.Alarm),
    ):
        stepped(batch.step, 60)


def test_runs_of_a_batch_that_fail_are_heard():
    changes = {"bodies.humanoid.controller.method": "explicit"}
    with footfall.Batch("humanoid/standing", 2, overrides=changes) as batch:
        with pytest.warns(footfall.Alarm, match="failed steps in 2 of 2 runs.*run it alone"):
            batch.step(substeps=100)
        assert {alarm.kind for alarm in batch.alarms.values()} == {"failed"}
        batch.reset()
        assert batch.alarms == {}


def test_states_set_in_a_batch_are_no_alarm():
    with footfall.Batch("humanoid/standing", 2) as batch, warnings.catch_warnings():
        warnings.simplefilter("error", footfall.Alarm)
        batch.step(substeps=50)
        kept = batch.q.copy(), batch.v.copy()
        batch.step(substeps=50)
        batch.q[:], batch.v[:] = kept[0], 3.0 * kept[1]
        batch.step(substeps=50)
        assert batch.alarms == {}


def test_environments_count_alarms():
    """Of torques that change their sign in each step; of a batch, those that it has."""
    gymnasium = pytest.importorskip("gymnasium")
    made = {"scene": "rrbot/swing", "frame_skip": 1, "bound": 5.0}
    env = gymnasium.make("footfall_gym:footfall/Scene-v0", disable_env_checker=True, **made)
    env.reset(seed=0)
    actions = [sign * np.ones(env.action_space.shape) for sign in (1.0, -1.0)]
    with pytest.warns(footfall.Alarm, match="chatters"):
        counts = [env.step(actions[k % 2])[4]["alarms"] for k in range(60)]
    assert (counts[0], counts[-1]) == (0, 1)
    many = gymnasium.make_vec("footfall_gym:footfall/Scene-v0", num_envs=2, **made)
    many.reset(seed=0)
    many.unwrapped.batch.alarms[1] = footfall.Alarm("energy", 0.0, "fault", "run 1", "cause")
    info = many.step(np.zeros(many.action_space.shape))[4]
    assert info["alarms"].tolist() == [0, 1]
    many.reset(seed=0)
    info = many.step(np.zeros(many.action_space.shape))[4]
    assert info["alarms"].tolist() == [0, 0]


def test_a_sweep_has_their_number(tmp_path):
    found = footfall.sweep(
        "cube/sliding",
        {"contact.plugin": ["coulomb", "ccp"]},
        output=tmp_path / "sweep",
        overrides={"simulation.duration": 0.05},
    )
    assert found.alarms.values.tolist() == [0.0, 1.0]


def test_commands_with_gains_act_as_the_posture_does(robot):
    gains = {"plugin": "posture", "stiffness": 5000.0, "damping": 50.0}
    same = {"target": {"one": 0.5, "two": 0.5}}
    ends = []
    for controller in (
        gains | same,
        {"plugin": "function", "function": "alarm_functions:implicit"},
    ):
        body = {"robot": robot(ARM, FREE), "controller": controller}
        sim = footfall.assemble(scene({"arm": body}, 0.2))
        sim.record()
        ends.append(sim.q.copy())
    np.testing.assert_array_equal(*ends)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kp": -1.0}, "a negative value for kp"),
        ({"q": [0.0, 0.0, 0.0]}, r"shape \(3,\) for q, expected \(2,\)"),
        ({"tau": np.nan}, "not finite for tau"),
        ({"v": "fast"}, "'fast' for v"),
    ],
)
def test_a_bad_command_is_one_line(robot, monkeypatch, given, words):
    import alarm_functions

    monkeypatch.setattr(alarm_functions, "implicit", lambda *_: footfall.Command(**given))
    sim = footfall.assemble(arm(robot, "implicit"))
    with pytest.raises(footfall.SimulationError, match=words):
        sim.step()
