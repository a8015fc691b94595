"""What an installation brings is told with its licence: the page, `all`, and the sdist."""

import re
import subprocess
import sys
import tarfile
import tomllib
from importlib.metadata import PackageNotFoundError, distribution

from tests.meta.source_files import ROOT

from footfall_run.doctor import NAME, RESTRICTED, brought, licence

PAGE = (ROOT / "docs/reference/installation.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def restricted(requirements):
    """Return the installed packages among what is required whose licence is not permissive."""
    found = set()
    for name in (NAME.match(text)[0] for text in requirements):
        try:
            own = RESTRICTED.search(licence(distribution(name)))
        except PackageNotFoundError:
            continue
        found |= set(brought(name)) | ({name} if own else set())
    return found


def told(extra):
    """Return what the page says in the row of an extra."""
    (row,) = [line for line in PAGE.splitlines() if re.match(rf"\| [*`, \w]*`{extra}`", line)]
    return row


def test_the_page_names_each_licence_that_is_not_permissive():
    for extra in set(EXTRAS) - {"all"}:
        for package in restricted(EXTRAS[extra]) - {"footfall", "casadi"}:
            name = "nvidia-..." if package.startswith("nvidia-") else package.lower()
            assert f"`{name}`" in told(extra), (extra, package)


def test_of_the_base_only_casadi_is_not_permissive():
    assert restricted(PROJECT["dependencies"]) == {"casadi"}
    assert "`casadi`, LGPL 3 or later" in PAGE


def test_no_gpl_comes_without_being_asked_for_by_name():
    assert {extra for extra, names in EXTRAS.items() if "quadprog" in str(names)} == {"quadprog"}


def test_the_sdist_holds_what_its_readers_look_for(tmp_path):
    build = ["build", "--sdist", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run([sys.executable, "-m", *build], check=True, capture_output=True)
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"SECURITY.md", "CONTRIBUTING.md", "constraints.txt", "LICENSE"} <= names
