"""The likely cause of a failed check of a contact law, from its answers for one point of 1 kg."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from footfall.api.contact import ContactProblem, ForceLaw
from footfall.api.plugin import Floats, FootfallError
from footfall.testing.check import Subject
from footfall.testing.problems.answer import call, ready, state_of
from footfall.testing.problems.cases import GRAVITY

DT, DEPTH, MU = 1e-3, 1e-4, 0.5
"""Time step [s], depth [m] and friction of the point."""
SOFT = 0.02
"""Depth under the point's weight from which a law counts as too soft, [m]."""
OTHERWISE = {
    "outputs": "it reads or adds to an output, NaN before the call: overwrite it (out[:] = ...)",
    "spare_room": "it loops over whole arrays: use the first n_blocks and n_rows entries",
    "deterministic": "random numbers, memory that is not initialised, or the order of a set",
    "no_hidden_state": "values kept in the object between calls: declare them as state_parts",
    "restore": "values kept in the object between calls: declare them as state_parts",
    "rotation": "friction depends on the direction, as of a pyramid: declare claims.anisotropy",
    "orientation": "it uses the world's axes: rows are tangent, tangent, normal of each contact",
    "permutation": "it ends before it has converged, or takes contacts in order only once",
    "apart": "one number, e.g. a step size or a count, is shared by bodies that do not touch",
    "not_finite": "nothing looks for NaN: call problem.require_finite(self.name) first",
    "slopes": "a term, its sign or the factor dt in slopes differs from the answer's",
    "energy": "its answer is not that of the end of the step, or restitution is added twice",
}
"""Causes by the name of the check, if the point's answers look right and no error tells more."""


def likely_cause(subject: Subject, check: str, error: Exception | None = None) -> str:
    """Return the likely cause of a failed check in one phrase; empty if none is known."""
    found = ""
    with suppress(Exception):  # the law's own errors are told elsewhere
        forces = issubclass(subject.cls, ForceLaw)
        found = _of_forces(subject) if forces else _of_impulses(subject)
    told = isinstance(error, FootfallError) and check != "outputs"
    return found or ("" if told else OTHERWISE.get(check, ""))


def _answer(subject: Subject, u: tuple[float, ...], gap: float = 0.0, dt: float = DT) -> Floats:
    """Return the impulse on the point, whose velocity is u [m/s]; shape (3,), [N s]."""
    law, v = ready(subject), np.array(u, float)
    problem = ContactProblem.from_dense(np.eye(3), v, np.array([MU]), gap=np.array([gap]), dt=dt)
    call(law, problem, state_of(law, 1, 3))
    return problem.impulse.copy()


def _of_impulses(subject: Subject) -> str:
    pressed, slid = _answer(subject, (0.0, 0.0, -1.0)), _answer(subject, (2.0, 0.0, -1.0))
    n = float(pressed[2])
    if np.abs(pressed[:2]).max() > 0.1:
        return "the normal is not the third row of its contact: tangent, tangent, normal"
    if n < 0.0:
        return "the normal impulse pulls: its sign is wrong, positive pushes bodies apart"
    if n == 0.0:
        return "no normal impulse: write the answer into problem.impulse (impulse[:] = ...)"
    if abs(n - 1.0) > 0.1:
        factor = _factor(n)
        return f"the normal impulse is {n:.3g} times what stops the point{factor}"
    return _of_friction(subject, slid)


def _of_forces(subject: Subject) -> str:
    rest, deep = (_answer(subject, (0.0, 0.0, 0.0), -k * DEPTH)[2] / DT for k in (1.0, 2.0))
    above = _answer(subject, (0.0, 0.0, 0.0), DEPTH)[2]
    fast, out = (_answer(subject, (0.0, 0.0, u), -DEPTH)[2] / DT for u in (-1e-3, 1e-3))
    twice = _answer(subject, (0.0, 0.0, 0.0), -DEPTH, 2.0 * DT)[2] / (2.0 * DT)
    if rest < 0.0:
        return "the normal force pulls: its sign is wrong, positive pushes bodies apart"
    if above > 0.0:
        return "a force acts above the ground: gap is positive there, negative below it"
    if rest == 0.0:
        return "no normal force on a point below the ground, where gap is negative"
    if abs(twice / rest - 1.0) > 0.1:
        return "forces depend on the time step: write forces [N] into out, not impulses [N s]"
    if fast < out:
        return "the damper drives: along the normal, a negative velocity approaches"
    k, d = (deep - rest) / DEPTH, (fast - rest) / 1e-3
    if k * DT**2 + 2.0 * d * DT > 4.0:
        return f"too stiff for {DT:g} s and 1 kg: {k:.3g} N/m, {d:.3g} N s/m"
    if k * SOFT < GRAVITY:
        return f"too soft, {k:.3g} N/m: 1 kg sinks in by {GRAVITY / k:.2g} m; are units N and m?"
    if d == 0.0:
        return "no damping along the normal: nothing comes to rest"
    return _of_friction(subject, _answer(subject, (1.0, 0.0, 0.0), -DEPTH))


def _of_friction(subject: Subject, impulse: Floats) -> str:
    """Judge the impulse on a point that slides along the first tangent."""
    bound = MU * float(impulse[2])
    along, size = -float(impulse[0]), float(np.hypot(impulse[0], impulse[1]))
    if size == 0.0:
        return "no friction: the rows of the tangents stay zero"
    if along < 0.0:
        return "friction pushes along the sliding: its sign is wrong"
    if size > 1.05 * (1.0 + subject.claims.anisotropy) * bound:
        return f"friction is {size / bound:.3g} times mu times the normal force: it has no bound"
    if along < 0.95 * bound:
        ratio = along / bound
        return f"friction is {ratio:.3g} times mu times the normal force{_factor(ratio)}"
    return ""


def _factor(ratio: float) -> str:
    """Return a hint if a ratio is about that of impulses and forces."""
    near = any(0.5 < ratio / factor < 2.0 for factor in (DT, 1.0 / DT))
    return ": a factor dt, impulses [N s] are dt times forces [N]" if near else ""
