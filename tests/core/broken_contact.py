"""Contact laws that are broken, each in one way; the law that they spoil is sound."""

from dataclasses import replace

import numpy as np

from footfall.errors import SolverError
from footfall.interfaces.contact import Claims
from footfall.problem.arrays import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.testing.problems.residuals import project_on_cone
from footfall_coulomb.contact import Coulomb
from footfall_gauss.contact import GaussDiscrete
from footfall_small_laws.regularized import Regularized

OUTPUTS = {"impulse", "offset", "correction", "report"}


class Sound(Coulomb):
    """The exact cone; refuses what is not finite."""

    name = "sound"

    def solve(self, problem, state):
        parts = (problem.delassus(), problem.free_velocity, problem.mu, problem.gap)
        if not all(np.isfinite(part).all() for part in parts):
            raise SolverError("the contact problem is not finite")
        if problem.impulsive:
            self._rebound(problem, state)
        else:
            super().solve(problem, state)

    def _rebound(self, problem, state):
        """Moreau's form of Newton's law: ``0 <= r  perp  u+ + e u- >= 0``, which keeps the energy.

        Also of touching points that separate: they may be pushed back to ``-e u-``.
        """
        e, free, n = problem.restitution, problem.arrays.free_velocity.copy(), problem.n_rows
        normal = problem.row[1:] - 1
        rebound = np.zeros(problem.n_rows)
        rebound[normal] = np.where(problem.kind == BlockKind.BOX, 0.0, e * problem.velocity[normal])
        free[:n] += rebound
        none = np.zeros_like(problem.arrays.restitution)
        arrays = problem.arrays._replace(free_velocity=free, restitution=none)
        super().solve(ContactProblem(arrays, problem.factor), state)
        problem.offset[:] = rebound


def after(spoil, **attributes):
    """Return the sound law with its answer spoiled by ``spoil(problem)``."""

    def solve(self, problem, state):
        Sound.solve(self, problem, state)
        spoil(problem)

    return type("Broken", (Sound,), {"solve": solve, "__doc__": "Broken.", **attributes})


def own_inputs(problem):
    """Return the problem with inputs of its own, and the same outputs."""
    fields = problem.arrays._asdict().items()
    inputs = {name: array.copy() for name, array in fields if name not in OUTPUTS}
    return ContactProblem(problem.arrays._replace(**inputs), problem.factor)


def before(change):
    """Return the sound law solving another problem, changed by ``change(problem)``."""

    def solve(self, problem, state):
        other = own_inputs(problem)
        change(other)
        Sound.solve(self, other, state)

    return type("Broken", (Sound,), {"solve": solve, "__doc__": "Broken."})


def scaled(factor):
    def spoil(problem):
        problem.impulse[:] *= factor

    return after(spoil)


def set_to(field, value):
    def change(problem):
        getattr(problem, field)[:] = value

    return change


mu_ignored = before(set_to("mu", 0.5))
restitution_ignored = before(set_to("restitution", 0.0))
gap_ignored = before(set_to("gap", 0.0))
energy_created = scaled(2.5)
always_perfect = after(lambda problem: setattr(problem.report, "residual", 0.0))
input_mutated = after(lambda problem: np.maximum(problem.gap, 0.0, out=problem.gap))
beyond_the_end = after(
    lambda problem: problem.arrays.impulse.__setitem__(slice(problem.n_rows, None), 0.0)
)
absurd = type("Absurd", (Sound,), {"claims": Claims(residual=5.0), "__doc__": "Broken."})


def called_square(factor, turn=0.0):
    """The circle, with friction too strong, too weak or turned, called a square around it."""

    def solve(self, problem, state):
        other = own_inputs(problem)
        other.mu[:] *= factor
        Sound.solve(self, other, state)
        c, s = np.cos(turn), np.sin(turn)
        r = problem.impulse.reshape(-1, 3)
        r[:, :2] = r[:, :2] @ np.array([[c, s], [-s, c]])

    square = {
        "solve": solve,
        "claims": replace(Sound.claims, anisotropy=np.sqrt(2.0) - 1.0),
        "__doc__": "Broken.",
    }
    return type("Broken", (Sound,), square)


@before
def some_friction(problem):
    problem.mu[:] = np.maximum(problem.mu, 0.01)


@before
def nan_swallowed(problem):
    for name in ("W", "free_velocity", "velocity", "mu", "gap"):
        array = getattr(problem.arrays, name)
        array[:] = np.nan_to_num(array)


@after
def flipped_normal(problem):
    problem.impulse.reshape(-1, 3)[:, 2] *= -1.0


@after
def world_frame(problem):
    """The impulse is given in the world's axes, not in the contact frames."""
    problem.impulse.reshape(-1, 3)[:] = np.einsum(
        "nji,nj->ni", problem.frame, problem.impulse.reshape(-1, 3)
    )


@after
def world_cone(problem):
    """The cone's axis is the world's z, whatever the normal."""
    for E, r, mu in zip(problem.frame, problem.impulse.reshape(-1, 3), problem.mu, strict=True):
        r[:] = E @ project_on_cone(E.T @ r, float(mu))


@after
def crowded(problem):
    """Every contact is weaker the more there are, wherever they are."""
    problem.impulse[:] /= max(problem.n_blocks, 1)


@after
def stumbles_over_nothing(problem):
    problem.impulse[:3].reshape(1, 3)


@after
def limits_ignored(problem):
    problem.impulse[problem.row[:-1][problem.kind == BlockKind.UNILATERAL]] = 0.0


class OutputForgotten(Sound):
    """Broken."""

    def solve(self, problem, state):
        kept = problem.offset.copy()
        super().solve(problem, state)
        problem.offset[:] = kept


class HiddenState(Sound):
    """Broken: the warm start is kept in the object."""

    def solve(self, problem, state):
        kept = getattr(self, "kept", None)
        if kept is not None and len(kept) == problem.n_rows:
            problem.impulse[:] = kept
        super().solve(problem, state)
        self.kept = problem.impulse.copy()


class Wear(Sound):
    """Broken: friction wears off with every call."""

    def solve(self, problem, state):
        self.calls = getattr(self, "calls", 0) + 1
        mu = problem.mu.copy()
        problem.mu[:] /= 1.0 + 0.01 * self.calls
        super().solve(problem, state)
        problem.mu[:] = mu


class Random(Sound):
    """Broken."""

    def solve(self, problem, state):
        super().solve(problem, state)
        problem.impulse[:] *= 1.0 + 1e-13 * np.random.default_rng().normal(size=problem.n_rows)


class OneSweep(Sound):
    """Broken: contact by contact, once, in their order, each as if it were the last."""

    def solve(self, problem, state):
        super().solve(problem, state)
        W = problem.delassus()
        r, u = np.zeros(problem.n_rows), problem.free_velocity + problem.offset
        for i, (kind, at) in enumerate(zip(problem.kind, problem.row, strict=False)):
            if kind == BlockKind.CONE:
                own = slice(at, at + 3)
                pull = -np.linalg.solve(W[own, own], u[own] + W[own] @ r)
                r[own] = project_on_cone(pull, float(problem.mu[i]))
        problem.impulse[:] = r


class Pyramid(GaussDiscrete):
    """Broken: says that its square pyramid is a cone."""

    def __init__(self, config, solver):
        super().__init__(config, solver)
        self.claims = replace(self.claims, anisotropy=0.0)


class Lifting(GaussDiscrete):
    """Broken: says that what slides is not lifted."""

    def __init__(self, config, solver):
        super().__init__(config, solver)
        self.claims = replace(self.claims, slides=True)


class Closing(GaussDiscrete):
    """Sound: closes loops."""

    name = "closing"


class loops_ignored(Closing):  # noqa: N801 - named as the other breaks
    """Broken: loops open."""

    def solve(self, problem, state):
        super().solve(problem, state)
        for b, kind in enumerate(problem.kind):
            if kind == BlockKind.EQUALITY:
                problem.impulse[problem.row[b] : problem.row[b + 1]] = 0.0


class Steeper(Regularized):
    """Broken: says that its force follows gaps by 1 % more than it does."""

    def slopes(self, problem, state):
        *others, by_gap, by_friction = super().slopes(problem, state)
        return (*others, 1.01 * by_gap, by_friction)
