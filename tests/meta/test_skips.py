"""In continuous integration a test may not be skipped for want of a package."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

TESTS = """
import pytest
def test_import(): pytest.importorskip("no_such_package_as_this")
def test_hint(): pytest.skip('pip install -e ".[icub]"')
@pytest.mark.skip(reason="needs Chromium: apt install chromium")
def test_mark(): pass
"""
ALLOWED = """
import pytest
def test_reference(): pytest.skip("no reference data beside the project")
def test_extra(): pytest.skip('needs the extra "quadprog"')
@pytest.mark.xfail
def test_expected(): raise AssertionError
"""
MODULE = 'import pytest\npytest.importorskip("no_such_package_as_this")\ndef test_it(): pass\n'


def outcomes(folder, ci):
    """Return what became of the tests of each file, by its name: how many of each kind."""
    shutil.copy(Path(__file__).parents[1] / "conftest.py", folder)
    for name, source in {"tests": TESTS, "module": MODULE, "allowed": ALLOWED}.items():
        (folder / f"test_{name}.py").write_text(source)
    environment = {key: value for key, value in os.environ.items() if key != "CI"}
    report = folder / "report.xml"
    options = ["-p", "no:cacheprovider", "--continue-on-collection-errors"]
    subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--junitxml={report}", "."],
        capture_output=True,
        env=environment | ({"CI": "true"} if ci else {}),
        cwd=folder,
    )
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = (case.get("classname") or case.get("name")).rpartition(".")[2]
        found.setdefault(name, Counter()).update(result.tag for result in case)
    return found


def test_a_missing_package_is_a_skip_on_ones_own_machine(tmp_path):
    found = outcomes(tmp_path, False)
    assert (found["test_tests"], found["test_module"]) == ({"skipped": 3}, {"skipped": 1})


def test_a_missing_package_fails_where_ci_is_set(tmp_path):
    found = outcomes(tmp_path, True)
    assert found["test_tests"] == {"failure": 2, "error": 1}
    assert found["test_module"] == {"error": 1}
    assert found["test_allowed"] == {"skipped": 3}  # one of them is an expected failure
