"""``footfall warm``: what bundled scenes and plugins need is compiled ahead."""

import os
import shutil
import subprocess
import sys

import pytest
from tests.meta.source_files import CORE, plugin_packages

import footfall
from footfall.cli.main import main
from footfall.jit import objects
from footfall_warm.command import LEVELS, cases


def warm(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main(["warm", *arguments])
    out, err = capsys.readouterr()
    return ended.value.code or 0, out, err


def test_all_bundled_scenes_and_plugins_of_the_step_are_tried():
    found = list(cases(None))
    assert {listing.name for listing in footfall.list_scenes()} <= {name for name, _ in found}
    tried = {value for _, changes in found for value in changes.values()}
    registry = footfall.discover()
    steps = (registry.contact, registry.impact, registry.integrator)
    assert {plugin.name for role in steps for plugin in role} == tried


def test_it_says_where_the_kernels_are(capsys):
    code, out, _ = warm(capsys, "cube/drop")
    assert code == 0
    first, last = out.splitlines()
    assert first.startswith("cube/drop: ")
    assert f"kept in {footfall.compilations.folder} (FOOTFALL_CACHE_DIR)" in last


def test_what_is_warm_is_not_compiled_again(capsys):
    warm(capsys, "cube/drop")
    script = "import footfall; footfall.load('cube/drop').step(); "
    script += "print(footfall.compilations.kernels)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("0\n", "")


def test_an_unknown_scene_is_one_line(capsys):
    code, _, err = warm(capsys, "cube/drpo")
    assert code == 1
    assert err.startswith("error: no scene 'cube/drpo', did you mean 'cube/drop'?")


BROUGHT = """
import sys, footfall
sim = footfall.load("cube/drop")
sim.step()
print("numba" in sys.modules, footfall.compilations.kernels, sim.q.tobytes().hex())
"""


def test_levels_are_those_that_are_looked_for():
    assert set(LEVELS) == set(objects.LEVELS)


@pytest.mark.long
def test_objects_that_come_along_are_used_until_their_source_changes(tmp_path, capsys):
    made = tmp_path / "objects"
    assert warm(capsys, "cube/drop", "--objects", str(made))[0] == 0
    site = tmp_path / "site"
    for package in (CORE, *plugin_packages()):
        shutil.copytree(package, site / package.name)
    shutil.copytree(made, site / "footfall" / "jit" / "native")

    def run(cache):
        done = subprocess.run(
            [sys.executable, "-c", BROUGHT],
            env=os.environ
            | {"PYTHONPATH": f"{site}:{CORE.parents[1] / 'robots'}"}
            | {"FOOTFALL_CACHE_DIR": str(tmp_path / cache)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        imported, count, bits = done.stdout.split()
        return imported, int(count), bits

    imported, count, bits = run("empty")
    assert (imported, count) == ("False", 0)
    law = site / "footfall_standard" / "kernels.py"
    law.write_text(law.read_text() + "\nANOTHER = 1.0\n")
    imported, count, same = run("edited")
    assert imported == "True"
    assert 0 < count < 5
    assert same == bits
    shutil.rmtree(site / "footfall" / "jit" / "native")
    assert run("compiled")[2] == bits
