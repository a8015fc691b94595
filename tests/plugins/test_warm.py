"""``footfall warm``: what bundled scenes and plugins need is compiled ahead."""

import os
import subprocess
import sys

import pytest

import footfall
from footfall.cli.main import main
from footfall_run.warm import cases


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
    first, last, _ = out.splitlines()
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


def test_an_interrupt_says_what_is_kept(capsys, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(footfall, "load", interrupt)
    code, out, _ = warm(capsys, "cube/drop")
    assert code == 130
    assert out == "interrupted: 0 kernels compiled and kept; the next call goes on\n"


def test_an_unknown_scene_is_one_line(capsys):
    code, _, err = warm(capsys, "cube/drpo")
    assert code == 1
    assert err.startswith("error: no scene 'cube/drpo', did you mean 'cube/drop'?")
