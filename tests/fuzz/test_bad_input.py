"""Bad input of every kind is answered in one line, in bounded time, or has a meaning.

The same few cases of each kind each time; the long test has others every day, which it names by a
seed: ``FOOTFALL_FUZZ_SEED=N pytest -m long tests/fuzz`` makes those again.
"""

import functools
import io
import json
import tempfile
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from tests.fuzz.outcome import SEED, answered, simulated
from tests.fuzz.strategies import NUMBERS, TEXTS, VALUES, altered, altered_xml, cut, damaged, places
from tests.fuzz.toml_text import toml_text

import footfall
from footfall.model import bundled_folder
from footfall_hands.devices import network_messages
from footfall_meshcat.server import page_messages

SCENE = st.sampled_from(
    ["cube/drop", "ball/bounce", "pendulum/swing", "cube/stack", "fourbar/swinging"]
)
MJCF = """<mujoco model="arm"><compiler angle="radian"/>
<default><joint damping="0.1"/><default class="light"><geom density="500"/></default></default>
<asset><material name="red" rgba="1 0 0 1"/></asset>
<worldbody><body name="base" pos="0 0 1"><freejoint name="root"/>
<geom name="trunk" type="box" size="0.1 0.1 0.2" material="red"/>
<body name="upper" pos="0 0 -0.2" quat="1 0 0 0">
<joint name="hip" type="hinge" axis="0 1 0" range="-1 1" limited="true"/>
<geom class="light" type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/>
<body name="lower" pos="0 0 -0.3" euler="0 0.1 0">
<joint name="knee" type="slide" axis="0 0 1" armature="0.01"/>
<geom type="sphere" size="0.05" mass="0.2"/></body></body></body></worldbody>
<contact><exclude body1="base" body2="lower"/></contact>
<actuator><motor name="m" joint="hip" gear="1" ctrlrange="-1 1"/></actuator></mujoco>"""
URDF = (bundled_folder() / "fourbar" / "model.urdf").read_text()
ROBOT = (bundled_folder() / "cube" / "robot.toml").read_text().replace('"cube"', '"crank"')
HEAD = "[simulation]\nduration = 0.1\n[world.terrain]\nfriction = 0.5\n[bodies.r]\n"
PAGE = [
    {"type": "ready", "scene": "x"},
    {"type": "ping", "serial": 3},
    {"type": "tune", "name": "friction", "value": 0.5},
    {"type": "grab", "serial": 1, "link": "box/box", "point": [0, 0, 0], "position": [0, 0, 1]},
    {"type": "create", "kind": "box", "size": [1, 1, 1], "position": [0, 0, 1]},
    {"type": "watch", "names": ["q"]},
]
DEVICE = {"position": [0, 0, 1], "button": True, "rotation": [0, 0, 0, 1], "force": [0, 0, 0]}
SPACE = network_messages.Workspace(np.zeros(3), np.eye(3), 1.0)


def scene_in(place, text, name="scene.toml"):
    """Write a file beside others and return its path; a text that no file can hold is left out."""
    path = place / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode(errors="replace"))
    return path


def bundled(name):
    """Return the tables of a bundled scene, its robots by name."""
    return tomllib.loads(footfall.find_scene(name)[1].read_text())


@functools.cache
def keys(name):
    """Return the dotted keys of a scene, defaults included."""
    settings = footfall.resolved(footfall.load_scene(name), {})
    return [".".join(map(str, path)) for path in places(settings) if None not in path]


def scene_tables(place, tables):
    return answered(lambda: simulated(scene_in(place, toml_text(tables))))


def scene_text(place, text):
    return answered(lambda: simulated(scene_in(place, text)))


def overrides(place, drawn):
    name, changes = drawn
    return answered(lambda: simulated(name, changes))


def robot_text(place, text):
    scene_in(place, URDF, "model.urdf")
    scene_in(place, text, "robot.toml")
    return answered(lambda: simulated(scene_in(place, HEAD + 'robot = "robot.toml"\n')))


def urdf(place, text):
    scene_in(place, text, "model.urdf")
    return answered(lambda: simulated(scene_in(place, HEAD + 'robot = "model.urdf"\n')))


def mjcf(place, text):
    scene_in(place, text, "model.xml")
    return answered(lambda: simulated(scene_in(place, HEAD + 'robot = "model.xml"\n')))


@functools.cache
def simulator():
    sim = footfall.load("cube/drop")
    sim.step()
    return sim


@functools.cache
def state():
    """Return the bytes of a good state."""
    with tempfile.TemporaryDirectory() as folder:
        simulator().save(Path(folder) / "good.state")
        return (Path(folder) / "good.state").read_bytes()


def state_bytes(place, content):
    path = scene_in(place, content, "bad.state")
    return [answered(lambda use=use: use(path)) for use in (simulator().resume, footfall.restore)]


def state_header(place, change):
    """Take a header that something is wrong with, in a file that is whole."""
    with np.load(io.BytesIO(state())) as data:
        held = {key: data[key] for key in data if key != "digest"}
    held["header"] = np.array(json.dumps(change))
    packed = io.BytesIO()
    np.savez(packed, **held)
    return state_bytes(place, packed.getvalue())


def header():
    with np.load(io.BytesIO(state())) as data:
        return {**json.loads(str(data["header"])), "footfall_state": 2}


@functools.cache
def recording():
    """Return the files of a short recording by their paths."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "good.zarr"
        footfall.load("cube/drop").record(0.02, output=path)
        files = {p.relative_to(path): p.read_bytes() for p in path.rglob("*") if p.is_file()}
    return dict(sorted(files.items()))


@functools.cache
def recorded():
    """Return what that recording holds."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in recording().items():
            (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / name).write_bytes(content)
        return footfall.open_run(folder).load()


def recording_file(place, drawn):
    """Read a recording one of whose files is damaged; what is read is what was written."""
    name, content = drawn
    path = Path(tempfile.mkdtemp(dir=place)) / "bad.zarr"
    for other, good in recording().items():
        (path / other).parent.mkdir(parents=True, exist_ok=True)
        (path / other).write_bytes(content if other == name else good)

    def read():
        with footfall.open_run(path) as run:
            assert run.load().identical(recorded()), f"{name} is damaged, and that is not seen"

    return answered(read)


@st.composite
def damaged_file(draw):
    name = draw(st.sampled_from(list(recording())))
    return name, draw(damaged(recording()[name]))


def page_message(place, said):
    text = said if isinstance(said, str) else json.dumps(said)
    return answered(lambda: page_messages.parse(text), ValueError)


def device_message(place, said):
    text = said if isinstance(said, str) else json.dumps(said)
    return answered(lambda: network_messages.parse(text, SPACE), ValueError)


GIVEN = st.one_of(NUMBERS, st.lists(NUMBERS, min_size=2, max_size=4), VALUES)
CALLS = (
    "step",
    "push",
    "tune",
    "resume",
    "record",
    "load",
    "override",
    "open_run",
    "restore",
    "find_scene",
    "gravity",
    "with_object",
    "without_object",
    "grab",
    "push_joint",
    "signals",
)
THINGS = st.one_of(
    VALUES,
    st.none(),
    st.binary(max_size=4),
    st.sampled_from([object(), len, 1j, range(3), {1: 2}, (1, (2,)), np.zeros((2, 2)), np.nan]),
    st.sampled_from([10**400, "x" * 5000, b"", float, np.array("a"), np.zeros(0), ("a", "b")]),
    st.integers(0, 12).map(np.zeros),
    st.integers(0, 12).map(lambda n: np.full(n, np.nan)),
)


def brief(duration):
    """Return what is no duration as it is, and a duration that is soon over."""
    return min(duration, 0.01) if isinstance(duration, int | float) else duration


def python_call(place, drawn):
    """Call what a user calls with arguments of any type."""
    call, one, two = drawn
    sim = simulator()
    calls = {
        "step": lambda: sim.step(one),
        "push": lambda: sim.push(one, force=two),
        "tune": lambda: sim.tune(one, two),
        "resume": lambda: sim.resume(one),
        "record": lambda: sim.record(brief(one), two),
        "load": lambda: footfall.load(one),
        "override": lambda: footfall.load("cube/drop", one),
        "open_run": lambda: footfall.open_run(one),
        "restore": lambda: footfall.restore(one),
        "find_scene": lambda: footfall.find_scene(one),
        "gravity": lambda: footfall.with_gravity(sim, one),
        "with_object": lambda: footfall.with_object(sim, one, two),
        "without_object": lambda: footfall.without_object(sim, one),
        "grab": lambda: sim.grab(one, two),
        "push_joint": lambda: sim.push_joint(one, two),
        "signals": lambda: sim.signals(one),
    }
    kept = sim.state
    message = answered(calls[call])
    sim.state.restore(kept)
    return message


def any_of(*given, text):
    """Draw one of the good inputs, changed as tables or as text."""
    return st.sampled_from(given).flatmap(
        lambda one: st.one_of(altered(one), cut(text(one)), VALUES, TEXTS)
    )


KINDS = {
    "scene tables": (SCENE.flatmap(lambda name: altered(bundled(name))), scene_tables),
    "scene text": (SCENE.flatmap(lambda name: cut(toml_text(bundled(name)))), scene_text),
    "overrides": (
        SCENE.flatmap(
            lambda name: st.tuples(
                st.just(name), st.dictionaries(st.sampled_from(keys(name)), GIVEN, max_size=2)
            )
        ),
        overrides,
    ),
    "robot.toml": (
        st.one_of(cut(ROBOT), altered(tomllib.loads(ROBOT)).map(toml_text)),
        robot_text,
    ),
    "URDF": (st.one_of(altered_xml(URDF), cut(URDF)), urdf),
    "MJCF": (st.one_of(altered_xml(MJCF), cut(MJCF)), mjcf),
    "state bytes": (st.deferred(lambda: damaged(state())), state_bytes),
    "state header": (st.deferred(lambda: altered(header())), state_header),
    "recording": (damaged_file(), recording_file),
    "page message": (any_of(*PAGE, text=json.dumps), page_message),
    "device message": (any_of(DEVICE, text=json.dumps), device_message),
    "Python call": (st.tuples(st.sampled_from(CALLS), THINGS, THINGS), python_call),
}
"""What is drawn, and what is done with it, by the kind of input."""
FEW, MANY = 7, 170
"""Cases of a kind, in a run of all tests and in a long one."""


def tried(kind, place, among=lambda test: test, **options):
    """Try cases of a kind; the first that is not answered fails, made as small as it can be.

    Returns:
        What each was answered: the messages of its refusals, None where it was taken.
    """
    strategy, use = KINDS[kind]
    answers = []

    @settings(database=None, deadline=None, suppress_health_check=list(HealthCheck), **options)
    @given(strategy)
    def one(drawn):
        answers.append(use(place, drawn))

    among(one)()
    return answers


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """What is written by relative paths goes into a folder of the test's own."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_bad_input_is_answered(kind, tmp_path):
    answers = tried(kind, tmp_path, max_examples=FEW, derandomize=True)
    assert len(answers) >= FEW
    assert any(answers), "nothing was refused: is it bad input?"


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_much_bad_input_is_answered(kind, tmp_path):
    print(f"seed {SEED}")
    answers = tried(kind, tmp_path, seed(SEED), max_examples=MANY)
    assert len(answers) >= MANY
    assert any(answers)
