"""Packages of somebody else's: built as wheels, installed into a folder, run from there."""

import shutil
import subprocess
import sys


def install(source, folder):
    """Build a package's wheel and install it into ``folder/site``; return the folder."""
    shutil.copytree(source, folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
    build = ["build", "--wheel", "--no-isolation", "--outdir", str(folder), str(folder / "source")]
    subprocess.run([sys.executable, "-m", *build], cwd=folder, check=True)
    (wheel,) = folder.glob("*.whl")
    pip = ["pip", "install", "--no-deps", "--no-index", "--target", str(folder / "site")]
    subprocess.run([sys.executable, "-m", *pip, str(wheel)], cwd=folder, check=True)
    return folder


def attempted(python, folder, *arguments):
    """Run Python with what is installed in the folder, if anything."""
    code, out, err = python.run(folder, *arguments, path=[folder / "site"])
    return subprocess.CompletedProcess(arguments, code, out, err)


def printed(python, folder, *arguments):
    """Run Python with what is installed in the folder; return what it prints."""
    done = attempted(python, folder, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def footfall(python, folder, *arguments):
    """Run the command; return what it prints."""
    return printed(python, folder, "-m", "footfall.cli.main", *arguments)
