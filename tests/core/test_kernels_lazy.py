"""LLVM is imported by what compiles or loads kernels, when a kernel is needed, by nothing else."""

import subprocess
import sys
import time

from tests.meta.source_files import CORE, ROOT, imports, plugin_packages, python_files

COMPILERS = {
    CORE / "jit" / "native.py",
    ROOT / "plugins" / "compilers" / "footfall_llvm" / "optimiser.py",
    ROOT / "plugins" / "compilers" / "footfall_llvm" / "wasm.py",
}
"""What compiles or loads kernels."""
WITHOUT_A_RUN = {
    "import": "import footfall",
    "help": "from footfall.cli.main import main; run('--help')",
    "plugins": "from footfall.cli.main import main; run('plugins')",
    "a scene": "from footfall.scene.load import load_scene; load_scene('icub/standing')",
    "every kernel": "import_all()",
}
SCRIPT = """
import contextlib, importlib, io, pathlib, sys

def run(*arguments):
    from footfall.cli.main import main
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main(list(arguments))

def import_all():
    for root, package in {packages}:
        for path in sorted((pathlib.Path(root) / package).rglob("*.py")):
            if "@kernel" in path.read_text() or "@inner" in path.read_text():
                name = ".".join(path.relative_to(root).with_suffix("").parts)
                importlib.import_module(name)

for what, code in {codes}.items():
    exec(code)
    found = [name for name in sys.modules if name.partition(".")[0] == "llvmlite"]
    print(f"{{what}}: {{found}}")
"""


def test_nothing_but_a_run_imports_llvm():
    folders = [CORE, *plugin_packages()]
    packages = [(str(folder.parent), folder.name) for folder in folders]
    script = SCRIPT.format(packages=packages, codes=WITHOUT_A_RUN)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.splitlines() == [f"{what}: []" for what in WITHOUT_A_RUN]


AGAIN = """
import sys
import numpy as np
import footfall
from footfall.api.kernels import kernel
for name in ("cube/drop", "cube/sliding", "pendulum/swing"):
    sim = footfall.load(name)
    sim.step()
    sim.record(5 * sim.time_step)

@kernel
def new(x):
    return {number} * x[0]

assert new(np.ones(1)) == {number}
print(footfall.compilations.kernels > 0, "footfall_llvm.compiler" in sys.modules)
"""


def test_what_has_been_compiled_before_is_run_without_the_compiler(tmp_path):
    """Kernels that are bound and kernels that Python calls, in a process after the first.

    One kernel is new to the cache, so that the first process compiles.
    """
    program = tmp_path / "program.py"
    program.write_text(AGAIN.format(number=time.time()))
    found = [
        subprocess.run(
            [sys.executable, str(program)], capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout.split()
        for _ in range(2)
    ]
    assert found == [["True", "True"], ["False", "False"]]


def test_only_what_compiles_names_llvm():
    files = [path for folder in (CORE, *plugin_packages()) for path in python_files(folder)]
    named = {
        path
        for path in files
        if any(name.partition(".")[0] == "llvmlite" for name in imports(path))
    }
    assert named == COMPILERS
