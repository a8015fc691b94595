"""In continuous integration a test may not be skipped for want of a package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import pytest
def test_import(): pytest.importorskip("no_such_package_as_this")
def test_hint(): pytest.skip('pip install "footfall[icub]"')
@pytest.mark.skip(reason="needs Chromium: apt install chromium")
def test_mark(): pass
"""
ALLOWED = """
import pytest
def test_reference(): pytest.skip("no reference data beside the project")
@pytest.mark.xfail
def test_expected(): raise AssertionError
"""
MODULE = 'import pytest\npytest.importorskip("no_such_package_as_this")\ndef test_it(): pass\n'


def outcome(tmp_path, source, ci):
    shutil.copy(Path(__file__).parents[1] / "conftest.py", tmp_path)
    (tmp_path / "test_sample.py").write_text(source)
    environment = {key: value for key, value in os.environ.items() if key != "CI"}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        env=environment | ({"CI": "true"} if ci else {}),
        cwd=tmp_path,
    )
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("source", "ci", "expected"),
    [
        (TESTS, False, "3 skipped"),
        (TESTS, True, "2 failed, 1 error"),
        (MODULE, False, "1 skipped"),
        (MODULE, True, "1 error"),
        (ALLOWED, True, "1 skipped, 1 xfailed"),
    ],
)
def test_a_missing_package_fails_where_ci_is_set(tmp_path, source, ci, expected):
    assert outcome(tmp_path, source, ci).startswith(expected)
