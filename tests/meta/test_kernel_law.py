"""A law of somebody else's that is a kernel: installed from a wheel, it runs in the one call."""

import shutil
from pathlib import Path

import pytest
from tests.meta.wheels import install, printed

from footfall_check.new.package import write_package

LAW = Path(__file__).parent / "kernel_law" / "contact.py"
IN_ONE_CALL = """
import numpy as np
import footfall
from footfall_stepper.stepping import program

overrides = {"contact.plugin": "kernel_law"}
one, other = (footfall.load("icub/standing", overrides=overrides) for _ in range(2))
assert not one.stepper.program.python
by_address, program.stage_of = program.stage_of, lambda *_: None
other.connect_controllers()
program.stage_of = by_address
assert other.stepper.program.python
for _ in range(200):
    one.step()
    other.step()
assert np.array_equal(one.row, other.row)
assert abs(one.signal("contact_force")[:, 2].sum() / 9.81 / one.world.mass - 1.0) < 0.1
with footfall.Batch("icub/standing", 4, threads=2, overrides=overrides) as batch:
    batch.step(substeps=200)
    assert np.array_equal(batch.q, np.tile(one.q, (4, 1)))
print("in one call, and in a batch")
"""
CONFORMS = """
import footfall.testing
report = footfall.testing.check_plugin("contact", "kernel_law")
print(report)
assert report.ok
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    made = tmp_path_factory.mktemp("made")
    package = write_package("contact", "kernel_law", made).folder
    (there,) = package.rglob("contact.py")
    shutil.copy(LAW, there)
    return install(package, tmp_path_factory.mktemp("kernel_law"))


def test_it_runs_in_one_call_and_in_batches(installed, python):
    assert printed(python, installed, "-c", IN_ONE_CALL).endswith("in one call, and in a batch\n")


def test_it_conforms(installed, python):
    printed(python, installed, "-c", CONFORMS)
