"""``footfall doctor``: what it tells, what it keeps to itself, and that broken parts stay alone."""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from tests.meta.source_files import ROOT

from footfall.jit.announcement import compilations
from footfall.registry.discover import discover
from footfall_run import doctor
from footfall_run.doctor import FOR, GROUPS, fault_of, private


def told(home, *options, **variables):
    """Return what a process prints that imports nothing else than a broken package and NumPy."""
    code = (
        "from footfall_run import doctor as d\nfrom footfall.cli.main import main\nimport sys\n"
        "d.modules = lambda found: {'numpy': ['numpy'], 'pluggy': ['broken']}.get(found.name, [])\n"
        "main(['doctor', *sys.argv[1:]])"
    )
    (home / "site").mkdir(parents=True, exist_ok=True)
    (home / "site" / "broken.py").write_text(f"raise OSError('no {home}/secret/libbroken.so')")
    environment = {k: v for k, v in os.environ.items() if k not in ("HOME", "FOOTFALL_CACHE_DIR")}
    variables = {"PYTHONPATH": str(home / "site"), "HOME": str(home), **variables}
    environment |= {key: value for key, value in variables.items() if value is not None}
    return subprocess.run(
        [sys.executable, "-c", code, *options],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    ).stdout


def test_it_tells_versions_kernels_licences_and_what_is_broken(tmp_path):
    home = tmp_path / "ólga"
    out = told(home, "--json", FOOTFALL_CACHE_DIR=str(home / "kept"))
    facts = json.loads(out)
    assert "lga" not in out
    assert facts["machine"]["python"].endswith(".".join(map(str, sys.version_info[:3])))
    assert facts["kernels"]["folder"] == "~/kept"
    assert facts["kernels"]["compiled"] == facts["kernels"]["ready-made"] == 0
    assert facts["packages"][""]["casadi"]["licence"].startswith("GNU Lesser")
    assert facts["packages"][""]["numpy"]["problem"] == ""
    assert facts["packages"][""]["pluggy"]["problem"] == (
        "cannot be imported: OSError: no ~/secret/libbroken.so"
    )


def test_home_user_host_and_indexes_are_left_out(tmp_path):
    out = told(
        tmp_path / "olga",
        USER="olga",
        PIP_INDEX_URL="https://olga:t0ken@pypi.secret.example/simple",
        FOOTFALL_CACHE_DIR="/nowhere/olga/kernels",
        FOOTFALL_TOKEN="t0ken",
    )
    assert not re.search("olga|t0ken|secret.example", out)
    assert "'FOOTFALL_TOKEN': '(not shown)'" in out
    assert not re.search(rf"\b{re.escape(os.uname().nodename)}\b", out)
    assert "/nowhere/USER/kernels" in out


def test_the_path_of_the_wheel_is_told_without_the_home(tmp_path):
    home = tmp_path / "olga"
    wheel, folder = home / "my wheels" / "footfall.whl", home / "site" / "footfall-9.dist-info"
    for made in (wheel.parent, folder):
        made.mkdir(parents=True)
    wheel.touch()
    (folder / "entry_points.txt").write_text(distribution("footfall").read_text("entry_points.txt"))
    (folder / "direct_url.json").write_text(json.dumps({"url": wheel.as_uri()}))
    (folder / "METADATA").write_text(
        "Name: footfall\nVersion: 9\nRequires-Dist: no-such-package; extra == 'icub'\n"
    )
    out = told(home)
    assert "olga" not in out
    assert 'pip install "~/my wheels/footfall.whl[icub]"\n' in out


@pytest.mark.parametrize("variables", [{"HOME": None}, {"FOOTFALL_CACHE_DIR": "/dev/null/x"}])
def test_a_home_or_cache_that_cannot_be_used_leaves_the_rest(variables, tmp_path):
    out = told(tmp_path / "olga", **variables)
    assert "\nbase\n" in out
    assert re.search(r"not kept in .*: Not a directory|folder  ", out)


def test_a_part_that_fails_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "PARTS", {"machine": lambda: 1 / 0, "plugins": lambda: {"n": 1}})
    doctor.doctor()
    first, *others = capsys.readouterr().out.splitlines()
    assert first == "machine: cannot be told: ZeroDivisionError: division by zero"
    assert others == ["plugins", "  n                    1"]


def test_a_package_that_ends_python_or_hangs_is_told(tmp_path, monkeypatch):
    (tmp_path / "crashes.py").write_text("import os\nos.abort()")
    (tmp_path / "exits.py").write_text("raise SystemExit(3)")
    (tmp_path / "hangs.py").write_text("import time\ntime.sleep(60)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert fault_of("crashes") == "cannot be imported: Python ends with -6"
    assert fault_of("exits") == "cannot be imported: Python ends with 3"
    assert fault_of("json") == ""
    monkeypatch.setattr(doctor, "PATIENCE", 1.0)
    assert fault_of("hangs") == "import takes more than 1 s"


def test_addresses_and_homes_are_shortened(monkeypatch):
    monkeypatch.setenv("HOME", "/home/olga")
    monkeypatch.setenv("USER", "olga")
    assert private("/home/olga/x /home/olga2 'https://me:pw@host/simple' /data/olga/y") == (
        "~/x /home/olga2 'https://.../simple' /data/USER/y"
    )
    assert private("olga 2.0 in /data/kernels-olga/x") == "olga 2.0 in /data/kernels-USER/x"


def test_empty_objects_are_not_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(type(compilations), "folder", tmp_path)
    (tmp_path / "torn.o").touch()
    (tmp_path / "whole.o").write_bytes(b"code")
    assert doctor.kernels()["compiled"] == 1


def test_objects_of_a_wheel_are_counted_once(tmp_path, monkeypatch):
    for level in ("linux-x86_64/x86-64-v3", "linux-x86_64/x86-64-v2", "darwin-arm64/apple-m1"):
        folder = tmp_path / "jit" / "objects" / level
        folder.mkdir(parents=True)
        for name in ("a.o", "b.o"):
            (folder / name).write_bytes(b"code")
    monkeypatch.setattr(doctor, "files", lambda package: tmp_path)
    assert doctor.kernels()["ready-made"] == 2


def test_every_extra_has_a_use():
    project = tomllib.loads(Path(ROOT, "pyproject.toml").read_text())["project"]
    of_plugins = {entry.extra for catalog in discover().catalogs for entry in catalog}
    assert set(project["optional-dependencies"]) - set(GROUPS) <= set(FOR) | of_plugins
