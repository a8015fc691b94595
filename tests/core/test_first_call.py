"""A plugin that changes its inputs, or leaves an output unwritten, is refused in its first call."""

from pathlib import Path

import numpy as np
import pytest
from tests.physics.composed import box, simulator, steps

import footfall
from footfall import SimulationError
from footfall.api.kernels import bind, kernel
from footfall.errors import PluginError
from footfall.interfaces.contact import ForceLaw, ImpactModel, ImpulseLaw
from footfall.interfaces.plugin import NoConfig
from footfall.problem.arrays import problem_from_arrays
from footfall_integrators.integrator import RungeKutta4
from footfall_small_laws.regularized import Regularized, RegularizedConfig
from footfall_standard.terrain import Plane, PlaneConfig

HERE = Path(__file__)
FLAT = [0.1, 0.1, 0.1]
CRASH = {"controller": {"plugin": "function", "function": "tests.core.test_first_call:crash"}}


def place(mark):
    """Return file and line of the line that ends with a comment, as errors tell it."""
    lines = HERE.read_text(encoding="utf-8").splitlines()
    (number,) = (n for n, line in enumerate(lines, 1) if line.endswith(f"# {mark}"))
    return f"(tests/core/{HERE.name}:{number})"


def crash(time, q, v):
    q[0] = 0.0  # controller
    return np.zeros(1)


class Careless(ImpulseLaw):
    name = "careless"

    def solve(self, problem, state):
        problem.offset[:] = problem.correction[:] = 0.0
        problem.report.write()
        problem.gap[:] = 0.0  # law


class Forces(ForceLaw):
    name = "forces"
    absorbs_impacts = True

    def force(self, problem, state, rate, out):
        problem.velocity[0] = 0.0  # forces


class Forgetful(Forces):
    name = "forgetful"

    def force(self, problem, state, rate, out):
        out[: problem.n_rows - 1] = 1.0


class Lazy(Careless):
    name = "lazy"

    def solve(self, problem, state):
        problem.offset[:] = 0.0


class Model(ImpactModel):
    name = "model"

    def resolve(self, problem):
        problem.mu[:] = 0.0  # impact


class Ground(Plane):
    def sample(self, time, points, sample):
        points[:, 2] = 0.0  # terrain


class Euler(RungeKutta4):
    def step(self, rates, now, x, rate, end, size):
        x += (end - now) * rate  # integrator


@kernel
def spoil(table):
    """Change an input, after all outputs are written."""
    problem = problem_from_arrays(table)
    for k in range(problem.size[1]):
        problem.offset[k] = problem.correction[k] = 0.0
    problem.gap[0] += 1e-3


class Compiled(Careless):
    name = "compiled"

    def bound(self, problem, state):
        return bind(spoil, problem.table)


def resting(**physics):
    return simulator(box(1.0, FLAT).at([0.0, 0.0, 0.05]), **physics)


@pytest.mark.parametrize(
    ("physics", "mark"),
    [
        ({"law": Careless()}, "law"),
        ({"law": Forces()}, "forces"),
        ({"impact": Model()}, "impact"),
        ({"integrator": Euler(NoConfig()), "law": Regularized(RegularizedConfig())}, "integrator"),
        ({"terrain": Ground(PlaneConfig())}, "terrain"),
    ],
)
def test_python_gets_read_only_inputs_and_the_error_names_its_line(physics, mark):
    def land():
        sim = resting(**physics)
        sim.q[2], sim.v[2] = 0.051, -2.0
        steps(sim, 3)

    with pytest.raises(SimulationError, match="read-only") as raised:
        land()
    assert str(raised.value).endswith(place(mark))


def test_a_controller_gets_read_only_positions():
    sim = footfall.load("rrbot/swing", {"bodies.rrbot": CRASH})
    with pytest.raises(SimulationError, match="read-only") as raised:
        sim.step()
    assert place("controller") in str(raised.value)


def test_a_kernel_that_changes_an_input_is_refused_in_its_first_contact():
    sim = resting(law=Compiled())
    sim.q[2] = 0.2
    steps(sim, 5)  # nothing touches
    sim.q[2] = 0.05
    with pytest.raises(PluginError, match=r'law "compiled" has changed its input problem\.gap'):
        sim.step()


@pytest.mark.parametrize(
    ("law", "told"), [(Forgetful(), 'law "forgetful".* NaN to out'), (Lazy(), "problem.correction")]
)
def test_a_law_that_leaves_an_output_unwritten_is_refused(law, told):
    with pytest.raises(PluginError, match=told):
        resting(law=law).step()
