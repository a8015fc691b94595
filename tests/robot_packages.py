"""Which robots come in packages of their own; tests without them are skipped."""

import pytest

PACKAGES = {"icub": "icub_models", "jvrc": "jvrc_description"}


def need_package(name):
    """Skip the test if the package that holds a robot, or the robot of a scene, is missing."""
    for robot, package in PACKAGES.items():
        if name.startswith(robot):
            pytest.importorskip(package, reason=f'pip install "footfall[{robot}]"')
