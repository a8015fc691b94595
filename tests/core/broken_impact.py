"""Impact models that are broken, each in one way; the model that they spoil is sound."""

from dataclasses import replace

import numpy as np

from footfall.errors import SolverError
from footfall.interfaces.contact import Claims, ImpactModel
from footfall.interfaces.plugin import Capability
from footfall.problem.arrays import BlockKind
from footfall_impacts.inelastic import Inelastic


class Sound(Inelastic):
    """Every touching point comes to rest; made without settings."""

    name = "sound"


def after(spoil, **attributes):
    """Return the sound model with its answer spoiled by ``spoil(problem)``."""

    def resolve(self, problem):
        Sound.resolve(self, problem)
        spoil(problem)

    return type("Broken", (Sound,), {"resolve": resolve, "__doc__": "Broken.", **attributes})


def declaring(base=Sound, **attributes):
    """Return the sound model with other declarations."""
    return type("Broken", (base,), {"__doc__": "Broken.", **attributes})


def scaled(factor):
    def spoil(problem):
        problem.impulse[:] *= factor

    return after(spoil)


absurd = declaring(claims=Claims(residual=5.0))
says_it_does_not_act = declaring(acts=False)
says_it_only_pushes = declaring(bilateral=False)
says_it_is_exact = declaring(claims=replace(Sound.claims, residual=1e-6))
says_it_rebounds = declaring(capabilities=Sound.capabilities | {Capability.RESTITUTION})
input_mutated = after(lambda problem: problem.velocity.__imul__(0.5))


@after
def beyond_the_end(problem):
    problem.arrays.impulse[problem.n_rows :] = 0.0


@after
def crowded(problem):
    problem.impulse[:] /= max(problem.n_blocks, 1)


@after
def first_tangent_only(problem):
    problem.impulse[1::3] = 0.0


@after
def world_frame(problem):
    problem.impulse.reshape(-1, 3)[:] = np.einsum(
        "nji,nj->ni", problem.frame, problem.impulse.reshape(-1, 3)
    )


throws_up = declaring(scaled(2.5), capabilities=says_it_rebounds.capabilities)


@after
def on_one_point(problem):
    normal = problem.impulse[2::3]
    normal[:] = np.where(np.arange(len(normal)) == 0, normal.sum(), 0.0)


@after
def loops_opened(problem):
    for b in np.flatnonzero(problem.kind == BlockKind.EQUALITY):
        problem.impulse[problem.row[b] : problem.row[b + 1]] = 0.0


@after
def stumbles_over_nothing(problem):
    problem.impulse[:3].reshape(1, 3)


class OutputForgotten(Sound):
    """Broken."""

    def resolve(self, problem):
        kept = problem.impulse.copy()
        super().resolve(problem)
        problem.impulse[:] = np.where(kept == 0.0, problem.impulse, np.nan)
        problem.impulse[0] = np.nan


class Wear(Sound):
    """Broken: weaker with every call."""

    def resolve(self, problem):
        self.calls = getattr(self, "calls", 0) + 1
        super().resolve(problem)
        problem.impulse[:] /= 1.0 + 0.01 * self.calls


class Random(Sound):
    """Broken."""

    def resolve(self, problem):
        super().resolve(problem)
        problem.impulse[:] *= 1.0 + 1e-13 * np.random.default_rng().normal(size=problem.n_rows)


class OneByOne(ImpactModel):
    """Broken: stops contact by contact, once, in their order."""

    name = "one_by_one"
    bilateral = True

    def __init__(self, config):
        self.config = config

    def resolve(self, problem):
        if not np.isfinite(problem.free_velocity).all():
            raise SolverError("not finite")
        W, r = problem.delassus(), problem.impulse
        r[:] = problem.offset[:] = 0.0
        problem.report.write()
        for i in range(problem.n_blocks):
            own = slice(3 * i, 3 * i + 3)
            r[own] -= np.linalg.solve(W[own, own], problem.free_velocity[own] + W[own] @ r)


class NanSwallowed(Sound):
    """Broken."""

    def resolve(self, problem):
        problem.arrays.W[:] = np.nan_to_num(problem.arrays.W)
        problem.free_velocity[:] = np.nan_to_num(problem.free_velocity)
        super().resolve(problem)
