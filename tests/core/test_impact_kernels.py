"""An impact model that is a kernel is part of the one call; one in Python is called by it."""

import numpy as np
import pytest

import footfall
from footfall import assemble
from footfall.api.contact import ImpactModel, ProblemSize, problem_from_arrays
from footfall.api.kernels import bind, kernel
from footfall.api.plugin import Capability, SimulationError, SolverError
from footfall.registry.discover import discover
from footfall_stepper.world.step_arrays import RunSum


@kernel
def rebound(table, most):
    """Throw contacts that feel no other one back, without friction; ask for Python beyond most."""
    problem = problem_from_arrays(table)
    blocks = problem.size[ProblemSize.BLOCKS]
    for b in range(blocks):
        normal = problem.row[b] + 2
        w = problem.W[problem.pair_data[problem.pair_start[b]] + 8]
        u, e = problem.free_velocity[normal], problem.restitution[b]
        problem.impulse[normal - 2] = problem.impulse[normal - 1] = 0.0
        problem.impulse[normal] = max(-(1.0 + e) * u / w, 0.0)
        for k in range(3):
            problem.offset[normal - k] = 0.0
    for k in range(4):
        problem.report[k] = 0.0
    return blocks > most


class InPython(ImpactModel):
    """Throws single contacts back; what it does not override is the role's own."""

    name = "throws"
    capabilities = frozenset({Capability.RESTITUTION, Capability.FRICTION})

    def __init__(self, config):
        self.config, self.called = config, 0

    def resolve(self, problem):
        self.called += 1
        assert problem.n_blocks == 1
        normal, W = problem.free_velocity[2], problem.arrays.W
        problem.impulse[:] = problem.offset[:] = 0.0
        problem.impulse[2] = max(-(1.0 + problem.restitution[0]) * normal / W[8], 0.0)
        problem.report.write()


class Compiled(InPython):
    """The same as a kernel."""

    most = 8

    def bound(self, problem):
        return bind(rebound, problem.table, self.most)


class Asking(Compiled):
    """Its kernel leaves all impacts to Python."""

    most = 0

    def go_on(self):
        self.called += 1


class Overridden(Compiled):
    """Python again."""

    def resolve(self, problem):
        super().resolve(problem)


def bouncing(model):
    """Return a ball that bounces by an impact model."""
    registry = discover()
    registry.impact.add("throws", lambda: model, summary="")
    scene = footfall.load_scene("ball/bounce", {"impact.plugin": "throws"}, registry=registry)
    return assemble(scene, registry)


def rows(sim, steps=1200):
    out = np.zeros((steps, sim.layout.width))
    sim.make_steps(out, 0, steps)
    return out


@pytest.mark.parametrize("model", [Compiled, Asking, Overridden])
def test_a_kernel_gives_the_bits_of_python_in_the_one_call(model):
    one, other = bouncing(model), bouncing(InPython)
    np.testing.assert_array_equal(rows(one), rows(other))
    np.testing.assert_array_equal(one.state.vector, other.state.vector)
    assert not one.stepper.program.python
    impacts = one.stepper.monitor.run[RunSum.IMPACTS]
    assert impacts > 2
    # A slow impact's restitution is dropped, then it is resolved likewise.
    asked = other.stepper.impact.called
    assert asked >= impacts
    assert one.stepper.impact.called == (0 if model is Compiled else asked)


def test_what_an_impact_model_in_python_raises_comes_out_of_the_call():
    class Failing(Asking):
        def go_on(self):
            raise SolverError("no impulse")

    sim = bouncing(Failing)
    with pytest.raises(SolverError, match="no impulse"):
        rows(sim)


def test_a_kernel_that_asks_for_what_is_not_there_is_named():
    class Nothing(Compiled):
        most = 0

    with pytest.raises(SimulationError, match="throws: its kernel needs go_on"):
        rows(bouncing(Nothing))
