"""Run 2n steps = run n, save, load in a new process, run n: bit for bit, in mid-contact."""

import subprocess
import sys

import numpy as np
import pytest

import footfall
from footfall.errors import SimulationError
from footfall.world.state import Part, State, load_state

GO_ON = """
import sys
import footfall


def value(text):
    return float(text) if text[0].isdigit() else text


scene, state, out, steps, *overrides = sys.argv[1:]
sim = footfall.load(scene, overrides={k: value(v) for k, v in (p.split("=") for p in overrides)})
sim.resume(state)
for _ in range(int(steps)):
    sim.step()
sim.save(out)
"""

EXPLICIT = {
    "bodies.icub.controller.method": "explicit",
    "bodies.icub.controller.stiffness": "300.0",
    "bodies.icub.controller.damping": "10.0",
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
    return "-".join([scene.replace("/", "_"), *overrides.values()])


@pytest.mark.parametrize("case", CASES, ids=ident)
def test_a_restored_run_goes_on_bit_for_bit(case, tmp_path):
    scene, n, overrides = case
    for extra, module in (("icub", "icub_models"), ("idyntree", "idyntree")):
        if extra in scene or extra in overrides.values():
            pytest.importorskip(module)
    given = {k: float(v) if v[0].isdigit() else v for k, v in overrides.items()}
    whole = footfall.load(scene, overrides=given)
    for _ in range(n):
        whole.step()
    whole.save(tmp_path / "half.npz")
    for _ in range(n):
        whole.step()
    arguments = [scene, tmp_path / "half.npz", tmp_path / "end.npz", str(n)]
    pairs = [f"{key}={value}" for key, value in overrides.items()]
    subprocess.run([sys.executable, "-c", GO_ON, *map(str, arguments), *pairs], check=True)
    end, _ = load_state(tmp_path / "end.npz")
    assert end.parts == whole.state.parts
    assert end.vector.tobytes() == whole.state.vector.tobytes()
    # In the middle of contact, at least once: the test would not mean much in the air.
    touching = np.abs(whole.state["impulse"]).max() > 0.0 or whole.state["touching"].any()
    assert touching or scene == "ball/bounce"


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
