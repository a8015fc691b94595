"""Run 2n steps = run n, save, load in a new process, run n: bit for bit, in mid-contact."""

import json
import random
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from tests.fuzz.outcome import SEED

import footfall
from footfall.errors import SimulationError
from footfall_stepper.world.state import Part, State, load_state

GO_ON = """
import json
import sys
import footfall

for scene, overrides, steps, state, out in json.loads(sys.argv[1]):
    sim = footfall.load(scene, overrides=overrides)
    sim.resume(state)
    for _ in range(steps):
        sim.step()
    sim.save(out)
"""

EXPLICIT = {
    "bodies.icub.controller.method": "explicit",
    "bodies.icub.controller.stiffness": 300.0,
    "bodies.icub.controller.damping": 10.0,
}
CASES = [
    ("icub/drop", 120, {}),
    ("icub/drop", 120, {"engine.plugin": "idyntree"}),
    ("humanoid/drop", 115, {}),
    ("humanoid/drop", 115, {"contact.plugin": "gauss"}),
    ("humanoid/drop", 115, {"contact.plugin": "gauss_discrete"}),
    ("humanoid/drop", 115, {"contact.plugin": "gauss", "integrator.plugin": "explicit_euler"}),
    ("humanoid/drop", 115, {"contact.plugin": "gauss", "contact.solver.plugin": "casadi"}),
    ("icub/drop", 120, EXPLICIT),
    ("humanoid/walking", 2600, {}),
    ("quadruped/trot", 800, {}),
    ("humanoid/balancing", 5555, {}),
    ("cube/drop", 340, {}),
    ("ball/bounce", 500, {}),
    ("coin/rolling", 200, {}),
    ("disc/rolling", 35, {}),
    ("icub/drop", 260, {"contact.plugin": "compliant"}),
]


def ident(case):
    scene, _, overrides = case
    return "-".join([scene.replace("/", "_"), *map(str, overrides.values())])


def missing(case):
    """Return the package that a case needs and that is not installed, or None."""
    scene, _, overrides = case
    needed = {"icub": "icub_models", "idyntree": "idyntree"}
    named = [scene.split("/")[0], *map(str, overrides.values())]
    return next((needed[n] for n in named if n in needed and not find_spec(needed[n])), None)


@pytest.fixture(scope="module")
def continued(tmp_path_factory):
    """Simulators run for 2n steps, and the states that a new process reached from half of it."""
    folder, runs, jobs = tmp_path_factory.mktemp("states"), {}, []
    for case in CASES:
        if missing(case):
            continue
        scene, n, overrides = case
        whole = footfall.load(scene, overrides=overrides)
        for _ in range(n):
            whole.step()
        half, end = (folder / f"{ident(case)}_{part}.npz" for part in ("half", "end"))
        whole.save(half)
        for _ in range(n):
            whole.step()
        runs[ident(case)] = whole, end
        jobs.append((scene, overrides, n, str(half), str(end)))
    subprocess.run([sys.executable, "-c", GO_ON, json.dumps(jobs)], check=True)
    return runs


@pytest.mark.parametrize("case", CASES, ids=ident)
def test_a_restored_run_goes_on_bit_for_bit(case, continued):
    if package := missing(case):
        pytest.skip(f"could not import {package}")
    whole, path = continued[ident(case)]
    end, _ = load_state(path)
    assert end.parts == whole.state.parts
    assert end.vector.tobytes() == whole.state.vector.tobytes()
    # In the middle of contact, at least once: the test would not mean much in the air.
    touching = np.abs(whole.state["impulse"]).max() > 0.0 or whole.state["touching"].any()
    assert touching or case[0] == "ball/bounce"


@pytest.mark.long
def test_random_scenes_go_on_from_random_moments_with_the_same_bits(tmp_path):
    """With a seed of the day; ``FOOTFALL_FUZZ_SEED=N`` makes those again."""
    rng = random.Random(SEED)
    scenes = [listing.name for listing in footfall.list_scenes()]
    scenes = [name for name in scenes if not missing((name, 0, {}))]
    for k, scene in enumerate(rng.sample(scenes, 12)):
        before, after = rng.randrange(1, 400), rng.randrange(1, 100)
        whole, path = footfall.load(scene), tmp_path / f"{k}.state"
        for _ in range(before):
            whole.step()
        whole.save(path)
        restored = footfall.restore(path, trust=True)
        for sim in (whole, restored):
            for _ in range(after):
                sim.step()
        same = whole.state.vector.tobytes() == restored.state.vector.tobytes()
        assert same, f"{scene}: {before} steps, then {after}, seed {SEED}"


def test_recording_does_not_change_the_motion(tmp_path):
    recorded, bare = footfall.load("cube/drop"), footfall.load("cube/drop")
    recorded.record(0.5, tmp_path / "run.zarr")
    for _ in range(500):
        bare.step()
    assert recorded.state["q"].tobytes() == bare.state["q"].tobytes()
    assert recorded.state["v"].tobytes() == bare.state["v"].tobytes()


def test_a_copy_is_independent():
    state = State((Part("q", (3,)), Part("contact.u", (2, 2))))
    copy = state.copy()
    state["q"][:] = 1.0
    assert copy["q"].tolist() == [0.0, 0.0, 0.0]
    copy.restore(state)
    assert copy["q"].tolist() == [1.0, 1.0, 1.0]
    assert "contact.u" in copy
    assert "u" not in copy


def test_a_state_with_other_parts_is_refused():
    with pytest.raises(SimulationError, match=r"does not fit.*'v'"):
        State((Part("q", (3,)),)).restore(State((Part("q", (3,)), Part("v", (3,)))))


def test_a_state_of_another_scene_is_refused(tmp_path):
    footfall.load("cube/drop").save(tmp_path / "state.npz")
    with pytest.raises(SimulationError, match=r"another scene or version: .*base_position"):
        footfall.load("cube/sliding").resume(tmp_path / "state.npz")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none.npz", None, "no such state file"),
        ("text.npz", b"not a state", "not a saved Footfall state"),
        ("empty.npz", b"", "not a saved Footfall state"),
    ],
)
def test_files_that_are_no_states_are_refused(tmp_path, name, content, said):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(SimulationError, match=said):
        load_state(tmp_path / name)


def test_saving_over_a_file_needs_overwrite(tmp_path):
    sim = footfall.load("cube/drop")
    sim.save(tmp_path / "state.npz")
    with pytest.raises(SimulationError, match="exists"):
        sim.save(tmp_path / "state.npz")
    sim.step()
    sim.save(tmp_path / "state.npz", overwrite=True)
    assert load_state(tmp_path / "state.npz")[0].tick == 1


def test_saving_where_there_is_no_folder_is_one_error(tmp_path):
    with pytest.raises(SimulationError, match="cannot write"):
        footfall.load("cube/drop").save(tmp_path / "missing" / "state.npz")


def test_a_file_that_is_no_archive_is_told_as_such(tmp_path):
    """NumPy would advise to load it unsafely."""
    path = tmp_path / "scene.toml"
    path.write_text("[simulation]\nduration = 1.0\n")
    with pytest.raises(SimulationError, match=r"or damaged: it holds no arrays of numbers$"):
        footfall.restore(path)
