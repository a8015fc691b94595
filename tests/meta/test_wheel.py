"""The wheel holds all of the three source roots, and works away from the repository."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.meta.source_files import plugin_packages

ROOT = Path(__file__).parents[2]
ROOTS = ("core", "plugins", "robots")
CASES = [
    "footfall/py.typed",
    "footfall_robots/cube/scenes/drop.toml",
    "footfall_robots/cube/model.urdf",
]


def python(folder, *arguments, **environment):
    """Run Python in a folder and return what it printed; it must succeed."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    python(folder, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Install the wheel to a folder of its own, which hides the editable installation."""
    site = tmp_path_factory.mktemp("installed") / "site"
    pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    python(site.parent, *pip, site, wheel)
    return site


def in_tree():
    """Return the paths that the wheel should hold, relative to their source root."""
    files = [path for root in ROOTS for path in (ROOT / root).rglob("*") if path.is_file()]
    return {
        "/".join(path.relative_to(import_root(path)).parts)
        for path in files
        if "__pycache__" not in path.parts
        and path.suffix != ".pyc"
        and path.name not in {"ruff.toml", "README.md"}
    }


def import_root(path):
    """Return the folder that a file's top-level package lies in."""
    return [folder for folder in path.parents if (folder / "__init__.py").exists()][-1].parent


def test_the_wheel_holds_every_file_of_the_source_roots(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == in_tree()
    assert set(CASES) <= names


def test_the_wheel_names_license_command_and_plugins(wheel):
    archive = zipfile.ZipFile(wheel)
    (points,) = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
    text = archive.read(points).decode()
    assert "footfall = footfall.cli.main:main" in text
    packages = {path.name for path in plugin_packages()}
    points = [line.split(" = ")[1] for line in text.splitlines() if " = footfall_" in line]
    # Gymnasium finds its environment by the package's name.
    assert {point.split(":")[0] for point in points} == packages - {"footfall_gym"}
    assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())


@pytest.mark.long
def test_scenes_of_the_wheel_are_listed_from_another_folder(installed, tmp_path):
    where = python(
        tmp_path, "-c", "import footfall; print(footfall.__file__)", PYTHONPATH=str(installed)
    )
    assert where.startswith(str(installed))
    listed = python(tmp_path, installed / "bin" / "footfall", "scenes", PYTHONPATH=str(installed))
    assert "cube/drop" in listed
    assert "humanoid/standing" in listed


def test_the_hint_of_an_extra_names_the_wheel(wheel, installed, tmp_path):
    code = "from footfall.errors import FootfallError; print(FootfallError.pip('icub'))"
    told = python(tmp_path, "-c", code, PYTHONPATH=str(installed))
    assert told == f'pip install "{wheel}[icub]"\n'


def test_a_scene_of_the_wheel_runs_from_another_folder(installed, tmp_path):
    command = [installed / "bin" / "footfall", "run", "cube/drop", "--duration", "0.01"]
    printed = python(tmp_path, *command, PYTHONPATH=str(installed))
    assert "10 (0.01 s simulated)" in printed
    (recording,) = (tmp_path / "runs").iterdir()
    assert recording.name.startswith("cube-drop-")
