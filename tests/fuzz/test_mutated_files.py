"""Small files of every kind, mutated: each is refused in one line, or used, in bounds.

``FOOTFALL_FUZZ_SEED=N`` makes the same ones again; ``FOOTFALL_FUZZ_FILES=FOLDER`` adds a folder's.
"""

import os
import queue
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz.outcome import SEED
from tests.fuzz.test_bad_input import HEAD, MJCF, ROBOT, URDF
from tests.mesh_bytes import ascii_stl, binary_stl, dae, msh, obj
from tests.plugins.policies import small

import footfall

CHILD = Path(__file__).parent / "mutating_child.py"
SDF = """<sdf version="1.9"><model name="m"><pose>0 0 1 0 0 0</pose><link name="base">
<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>
<collision name="c"><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision>
</link></model></sdf>"""


def write_files(folder):
    """Write a file of each kind."""
    meshes = {"a.stl": ascii_stl(), "b.stl": binary_stl(), "c.obj": obj(), "d.dae": dae()}
    texts = {"r.xml": MJCF, "model.urdf": URDF, "m.sdf": SDF, "robot.toml": ROBOT}
    texts |= {"scene.toml": f'{HEAD}robot = "robot.toml"\n', "h.csv": "0,0.1\n0.2,0.05\n"}
    for name, content in (meshes | {"e.msh": msh()} | texts).items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
    np.save(folder / "h.npy", np.zeros((3, 3)))
    sim = footfall.load("pendulum/swing")
    joints = [name.rpartition("/")[2] for name in sim.labels.joint]
    rows = np.zeros((3, len(joints)))
    np.savez(folder / "t.npz", time=np.array([0.0, 0.1, 0.2]), joints=joints, position=rows)
    terms = [{"term": "joint_positions"}]
    small(folder, joints, terms, inputs=len(joints), name="network", stiffness=1.0, damping=0.1)
    footfall.load("cube/drop").save(folder / "s.state")


def mutate(folder, seed, count, patience=60.0):
    """Use mutated files in a process that is begun again if it dies or hangs; return findings."""
    found, first = [], 0
    while first < count:
        command = [
            sys.executable,
            "-X",
            "faulthandler",
            CHILD,
            str(folder),
            str(seed),
            str(first),
            str(count),
        ]
        told = folder.with_name("stderr.txt")
        pipes = {"stdout": subprocess.PIPE, "text": True}
        last, lines = f"{first} start", queue.SimpleQueue()
        with told.open("w") as log, subprocess.Popen(command, stderr=log, **pipes) as child:
            threading.Thread(target=read, args=(child.stdout, lines), daemon=True).start()
            try:
                while (line := lines.get(timeout=patience)) is not None:
                    if line.startswith("wrong: "):
                        found.append(f"seed {seed}, {last}: {line}")
                    else:
                        last = line
            except queue.Empty:
                child.kill()
            code = child.wait()
        if code:
            frames = "\n".join(told.read_text(errors="replace").splitlines()[-40:])
            found.append(f"seed {seed}, {last}: ended with {code}\n{frames}")
        first = count if code == 0 else int(last.split()[0]) + 1
    return found


def read(stream, lines):
    for line in stream:
        lines.put(line.rstrip())
    lines.put(None)


@pytest.mark.long
@pytest.mark.parametrize("part", range(6))
def test_mutated_files_are_refused_in_a_line_or_used(tmp_path, part):
    folder = tmp_path / "files"
    if more := os.environ.get("FOOTFALL_FUZZ_FILES"):
        shutil.copytree(more, folder)
    folder.mkdir(exist_ok=True)
    write_files(folder)
    found = mutate(folder, f"{SEED} {part}", 250)
    assert not found, "\n".join(found)


def test_a_process_that_dies_is_a_finding(tmp_path):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "empty.npy").write_bytes(b"")
    assert mutate(tmp_path / "files", 1, 1) == []
    assert "ended with" in mutate(tmp_path / "missing", 1, 1)[0]
