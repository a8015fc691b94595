"""What several modules of tests of the project itself need."""

import pytest
from tests.programs import programs


@pytest.fixture(scope="session")
def python():
    """Runs Python programs in processes of their own (see ``tests.programs``)."""
    with programs() as python:
        yield python
