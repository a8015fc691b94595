"""Packages of somebody else's: built as wheels, installed into a folder, run from there."""

import os
import shutil
import subprocess
import sys


def install(source, folder):
    """Build a package's wheel and install it into ``folder/site``; return the folder."""
    shutil.copytree(source, folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
    build = ["build", "--wheel", "--no-isolation", "--outdir", str(folder), str(folder / "source")]
    python(folder, "-m", *build)
    (wheel,) = folder.glob("*.whl")
    pip = ["pip", "install", "--no-deps", "--no-index", "--target", str(folder / "site")]
    python(folder, "-m", *pip, str(wheel))
    return folder


def attempted(folder, *arguments):
    """Run Python with what is installed in the folder, if anything."""
    found = [str(folder / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(found)},
        check=False,
    )


def python(folder, *arguments):
    """Run Python with what is installed in the folder; return what it prints."""
    done = attempted(folder, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def footfall(folder, *arguments):
    """Run the command; return what it prints."""
    return python(folder, "-m", "footfall.cli.main", *arguments)
