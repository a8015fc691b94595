"""Uses mutated files, one after another, in a process that may die: see ``test_mutated_files``.

``python mutating_child.py FOLDER SEED FIRST LAST`` prints number and file of each before it is used
and, after it, what was wrong. The folder's files are changed and put back.
"""

import contextlib
import io
import random
import resource
import sys
import time
import warnings
from functools import cache
from pathlib import Path

import footfall
from footfall.cli.main import main as command
from footfall.errors import LONGEST_MESSAGE, error_line

NUMBERS = (
    b"nan inf -inf -1 0 1e300 -1e300 1e-320 1_0 4611686018427387904 99999999 0x10 1e 2.5".split()
)
NUMBERS += ["١٢".encode(), b"", b"1,2", b"--1"]
MODELS = (".urdf", ".xml", ".sdf", ".xacro", ".usda")
MESHES = (".stl", ".obj", ".dae", ".glb", ".ply", ".msh")
HEIGHTS = (".npy", ".png", ".csv")
MESH = """<robot name="m"><link name="base"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="{0}"/></geometry></collision>
<visual><geometry><mesh filename="{0}"/></geometry></visual></link></robot>"""
SECONDS, GROWTH = 10.0, 1e9


def is_number(word):
    try:
        float(word)
    except ValueError:
        return False
    return True


def mutated(content, draw):
    """Return a content with one to three changes."""
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        n = len(content)
        a, b = sorted((draw.randrange(n + 1), min(n, draw.randrange(n + 1))))
        short = min(b, a + draw.choice([1, 2, 4, 8, 40]))
        words = [w for w in content.replace(b'"', b" ").split() if len(w) < 30]
        numbers = [w for w in words if is_number(w)]
        kind = draw.randrange(10 if numbers else 7)
        if kind == 0:
            content = content[:a]
        elif kind == 1:
            content = content[:a] + content[short:]
        elif kind == 2:
            content = content[:a] + draw.randbytes(short - a) + content[short:]
        elif kind == 3:
            content = content[:short] + content[a:short] * draw.choice([1, 2, 50]) + content[short:]
        elif kind == 4:
            bit = bytes([content[a] ^ 1 << draw.randrange(8)]) if a < n else b"\0"
            content = content[:a] + bit + content[a + 1 :]
        elif kind == 5:
            odd = draw.choice([b"\0", b"\xff\xfe", b"\n", b"<", b"[[", b"\xe2\x80\xae", b"&", b"#"])
            content = content[:a] + odd + content[a:]
        elif kind == 6 and len(words) > 1:
            content = content.replace(*draw.sample(words, 2), 1)
        elif kind > 6:
            old, at = draw.choice(numbers), 0
            for _ in range(draw.randrange(max(1, min(9, content.count(old))))):
                at = content.find(old, at + 1)
            at = content.find(old, at)
            content = content[:at] + draw.choice(NUMBERS) + content[at + len(old) :]
    return content


@cache
def simulator(name):
    return footfall.load(name)


def use(path):
    """Use a file as its ending says."""
    if path.suffix in MESHES:
        path = path.with_suffix(".urdf")
    ending = path.suffix
    if ending in MODELS:
        xacro = ["--xacro"] if ending == ".xacro" else []
        imported([str(path), "--dry-run", "--untried", *xacro])
    elif ending in HEIGHTS:
        terrain = {"plugin": "heightmap", "file": str(path), "size": [2.0, 2.0]}
        steps(footfall.load("cube/drop", {"world.terrain": terrain | {"friction": 0.5}}))
    elif path.name.endswith(".policy.toml") or ending == ".onnx" or path.name == "network.npz":
        place = path.with_name("network.policy.toml") if ending == ".npz" else path
        place = place.with_suffix(".policy.toml") if ending == ".onnx" else place
        at = "bodies.pendulum.controller."
        steps(footfall.load("pendulum/swing", {f"{at}plugin": "policy", f"{at}file": str(place)}))
    elif ending == ".npz":
        at = "bodies.pendulum.controller."
        rows = {f"{at}plugin": "trajectory", f"{at}file": str(path)}
        steps(footfall.load("pendulum/swing", rows))
    elif ending == ".state":
        simulator("cube/drop").resume(path)
        steps(simulator("cube/drop"))
    elif ending == ".toml":
        steps(footfall.load(path))


def steps(sim):
    for _ in range(2):
        sim.step()


def imported(arguments):
    """Import a model by the command; its error is one line."""
    told = io.StringIO()
    with contextlib.redirect_stderr(told), contextlib.redirect_stdout(io.StringIO()):
        try:
            command(["import", *arguments])
        except SystemExit as end:
            lines = [line for line in told.getvalue().splitlines() if line.startswith("error: ")]
            if end.code and len(lines) != 1:
                raise AssertionError(f"says {told.getvalue()[-300:]!r}") from None


def judged(path):
    """Return what is wrong with how a file is used, "" if nothing."""
    begin, busy, size = clock(), time.process_time(), grown()
    wrong = ""
    try:
        use(path)
    except footfall.FootfallError as error:
        text = str(error)
        if not (text and text.isprintable() and len(text) <= LONGEST_MESSAGE):
            wrong = f"is not one line: {text[:300]!r}"
    except BaseException as error:
        wrong = error_line(error)[:400]
        import traceback

        frames = traceback.extract_tb(error.__traceback__)[-6:]
        wrong += "".join(f" < {Path(f.filename).name}:{f.lineno}" for f in frames[::-1])
    took = clock() - begin
    if min(took, time.process_time() - busy) > SECONDS:  # others may use the machine
        wrong += f" took {took:.0f} s"
    if grown() - size > GROWTH:
        wrong += f" grew by {(grown() - size) / 1e6:.0f} MB"
    return wrong


def clock():
    """Return a time that stands still while kernels are compiled, [s]."""
    return time.monotonic() - footfall.compilations.seconds


def grown():
    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main(folder, seed, first, last):
    warnings.simplefilter("ignore")
    for path in list(Path(folder).rglob("*")):
        if path.suffix in MESHES:
            path.with_suffix(".urdf").write_text(MESH.format(path.name))
    endings = (*MODELS, *MESHES, *HEIGHTS, ".npz", ".onnx", ".state", ".toml")
    files = sorted(path for path in Path(folder).rglob("*") if path.suffix in endings)
    for k in range(int(first), int(last)):
        draw = random.Random(f"{seed} {k}")
        path = draw.choice(files)
        good = path.read_bytes()
        print(f"{k} {path.relative_to(folder)}", flush=True)
        path.write_bytes(mutated(good, draw))
        wrong = judged(path)
        if wrong:
            kept = Path(folder).with_name(f"mutated-{seed}-{k}{path.suffix}")
            kept.write_bytes(path.read_bytes())
            print(f"wrong: {' '.join(wrong.split())}", flush=True)
        path.write_bytes(good)


if __name__ == "__main__":
    main(*sys.argv[1:])
