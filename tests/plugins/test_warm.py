"""``footfall warm``: what bundled scenes and plugins need is compiled ahead."""

import os
import subprocess
import sys

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall.cli.main import main
from footfall_run.warm import SHORT, cases


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


@each("name, changes", [(name, changes) for name, changes in cases(None) if changes])
@pytest.mark.filterwarnings("ignore::footfall.Alarm")
def test_all_plugins_of_the_step_run_on_the_scenes_chosen_for_them(name, changes):
    sim = footfall.load(name, changes)
    sim.record(SHORT * sim.time_step)
    assert np.isfinite(sim.q).all()
    assert sim.time == pytest.approx(SHORT * sim.time_step)


def test_a_plain_call_names_only_what_it_compiled(capsys, monkeypatch):
    tried = [("cube/drop", {}), ("cube/sliding", {})]
    monkeypatch.setattr("footfall_run.warm.cases", lambda chosen: tried)
    warm(capsys)
    code, out, _ = warm(capsys)
    assert code == 0
    assert len(out.splitlines()) == 2
    assert out.startswith("0 kernels compiled in ")


class Full:
    """A simulator whose kernels do not all find room."""

    time_step = 1e-3

    def record(self, duration):
        footfall.compilations.kernels += 3
        footfall.compilations.kept += 1


def test_it_says_how_many_kernels_are_not_kept(capsys, monkeypatch):
    monkeypatch.setattr(footfall, "load", lambda *_: Full())
    for name in ("kernels", "kept"):
        monkeypatch.setattr(footfall.compilations, name, getattr(footfall.compilations, name))
    code, out, _ = warm(capsys, "cube/drop", "cube/sliding")
    assert code == 1
    assert "6 kernels compiled in 0 s, 0 cases left out; 4 of them are not kept in " in out


def test_a_folder_that_cannot_be_used_is_one_error(tmp_path):
    (tmp_path / "file").touch()
    done = subprocess.run(
        [sys.executable, "-m", "footfall.cli.main", "warm"],
        env=os.environ | {"FOOTFALL_CACHE_DIR": str(tmp_path / "file/folder")},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "error: kernels cannot be compiled in advance: they would not be kept" in done.stderr


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
    assert out == "interrupted: 0 kernels kept; the next call goes on\n"


def test_an_unknown_scene_is_one_line(capsys):
    code, _, err = warm(capsys, "cube/drpo")
    assert code == 1
    assert err.startswith("error: no scene 'cube/drpo', did you mean 'cube/drop'?")
