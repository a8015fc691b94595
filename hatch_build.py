"""Puts kernels as native objects into the wheel, where that is asked for.

``HATCH_BUILD_HOOKS_ENABLE=1 pip wheel --no-deps .`` makes one wheel for all of ``TARGETS``: scenes
are run for a few steps in a process of its own, and the optimised code of each kernel that they
need becomes an object for every level of processors in ``footfall.jit.native``. Kernels that lie in
no object are compiled where the wheel is installed, as without objects. ``FOOTFALL_OBJECT_SCENES``
names the scenes, separated by blanks; default: those of ``footfall warm``.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "footfall/jit/objects"
TARGETS = {
    "linux-x86_64": ("x86_64-unknown-linux-gnu", "manylinux_2_17_x86_64"),
    "linux-aarch64": ("aarch64-unknown-linux-gnu", "manylinux_2_17_aarch64"),
    "darwin-arm64": ("arm64-apple-macosx11.0.0", "macosx_11_0_arm64"),
}
"""LLVM's name of a platform and that of wheels, by ``sys.platform`` and machine."""
LOWEST = {"x86_64": "x86-64-v2"}.get(platform.machine(), "generic")
"""Processor that the code of all objects is optimised for, before each target gets its own."""


class ObjectsHook(BuildHookInterface):
    """Makes objects before the wheel is written."""

    def initialize(self, version, build_data):
        """Make the objects and name the wheel after the machine."""
        if version != "standard" or self.target_name != "wheel":
            return
        root, self._folder = Path(self.root), tempfile.TemporaryDirectory()
        site, objects = Path(self._folder.name, "site"), Path(self._folder.name, "objects")
        self._describe(site / f"{self.metadata.name}-{self.metadata.version}.dist-info")
        own = (root / name for name in self.build_config.sources)
        # pip's build environment takes folders of editable installations off PYTHONPATH.
        paths = [*map(str, [site, *own]), *filter(None, sys.path)]
        environment = os.environ | {
            "FOOTFALL_CACHE_DIR": str(Path(self._folder.name, "cache")),
            "FOOTFALL_CHECKED": "0",
            "FOOTFALL_CPU": LOWEST,
        }
        scenes = os.environ.get("FOOTFALL_OBJECT_SCENES", "").split()
        command = [sys.executable, "-P", str(root / "hatch_build.py"), json.dumps(paths)]
        subprocess.run([*command, str(objects), *scenes], check=True, env=environment)
        shutil.copytree(Path(self._folder.name, "cache", "sources"), objects / "sources")
        build_data["force_include"][str(objects)] = FOLDER
        tags = ".".join(sorted(tag for _, tag in TARGETS.values()))
        build_data.update(pure_python=False, tag=f"py3-none-{tags}")

    def finalize(self, version, build_data, artifact_path):
        """Remove what has been packed."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()

    def _describe(self, folder):
        """Write what an installation would tell of itself: the plugins."""
        folder.mkdir(parents=True)
        name, version = self.metadata.name, self.metadata.version
        (folder / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        )
        points = self.metadata.core.entry_points["footfall"]
        lines = ["[footfall]", *(f"{name} = {value}" for name, value in points.items())]
        (folder / "entry_points.txt").write_text("\n".join(lines) + "\n")


def make_objects(folder, scenes):
    """Run scenes for a few steps and write an object of each kernel that they need."""
    import footfall
    from footfall.api.plugin import FootfallError
    from footfall_llvm import compiler
    from footfall_run.warm import SHORT, cases

    def note(kernel, arguments, name, translate=compiler.translated):
        code = translate(kernel, arguments, name)
        print(f"{kernel}: {write_objects(folder, name, compiler.optimised(code))}", flush=True)
        return code

    footfall.compilations.ahead = footfall.compilations.silent = True
    with patch.object(compiler, "translated", note):
        for name, changes in cases(scenes):
            try:
                sim = footfall.load(name, changes)
                sim.record(SHORT * sim.time_step)
            except FootfallError as error:
                if scenes:
                    raise
                print(f"{name} {changes}: left out: {str(error).splitlines()[0]}")


def write_objects(folder, name, made):
    """Write the objects of a kernel for all levels; return what came of it."""
    from footfall.jit import native

    for level in native.LEVELS:
        machine, module = for_level(made.module, level)
        code = machine.emit_object(module)
        native.write(folder / level / f"{name}.o", code, made.result)
    return f"{len(code)} bytes"


def for_level(module, level):
    """Return LLVM's target machine of a level, and a copy of a module for that machine."""
    from llvmlite import binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target, processor = level.split("/")
    triple, copy = TARGETS[target][0], module.clone()
    machine = llvm.Target.from_triple(triple).create_target_machine(
        processor, "", opt=3, reloc="static", codemodel="jitdefault", jit=True
    )
    copy.triple, copy.data_layout = triple, str(machine.target_data)
    return machine, copy


if __name__ == "__main__":
    sys.path[:] = json.loads(sys.argv[1])
    make_objects(Path(sys.argv[2]), sys.argv[3:])
