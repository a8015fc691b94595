"""Which robots come in packages of their own; tests without them are skipped."""

from importlib.metadata import PackageNotFoundError, distribution

import pytest

PACKAGES = {
    "icub": ("icub-models", "icub"),
    "jvrc": ("jvrc_description", "jvrc"),
    "panda": ("example-robot-data", "robots"),
}
"""Package and extra by robot."""


def need_package(name):
    """Skip the test if the package that holds a robot, or the robot of a scene, is missing."""
    for robot, (package, extra) in PACKAGES.items():
        if name.startswith(robot):
            try:
                distribution(package)
            except PackageNotFoundError:
                pytest.skip(f'pip install "footfall[{extra}]"')
