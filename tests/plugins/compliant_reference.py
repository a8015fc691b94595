"""Recorded calls of Featherstone's own functions, read from beside the project."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[3] / "shared" / "reference"


@cache
def reference(name):
    """Return a file's content; skip the test where it is not."""
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"needs {name} in ../shared/reference, which is not part of the project")
    return json.loads(path.read_text())


def rows(values):
    """Return numbers as an array of at least one dimension (JSON writes one number bare)."""
    return np.atleast_1d(np.array(values, float))
