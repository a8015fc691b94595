"""What a body that tumbles without moments keeps, for each way to step it; the last is Footfall's.

python -m tests.benchmarks.turning [--seconds 60] [--step 1e-3]

The other ways are written out below, in the same arithmetic. Angular momentum and energy: the
largest relative error of all steps. Angle: of the orientation after a second, against an
integration to 1e-13.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp
from tests.physics.composed import simulator

from footfall.typing import Floats
from footfall_validate.checks.motion.torque_free import INERTIA, START
from footfall_validate.rotations import rotation_matrix
from footfall_validate.shapes import Shape, rigid_model

Way = Callable[[Floats, Floats, float], tuple[Floats, Floats | None]]
"""From momentum and velocity, axes of the body, to W and the next velocity; None: momentum's."""
HEAD = (
    "| carried on; what turns the body | step | angular momentum | energy | angle after 1 s |\n"
    "|---|---|---|---|---|"
)
ROUNDS = 12
"""Of an iteration that gains two digits or more each."""


def exponential(turn: Floats) -> Floats:
    """Return the rotation matrix of a rotation vector."""
    angle = float(np.linalg.norm(turn))
    x, y, z = turn
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    half = np.sinc(angle / (2.0 * np.pi))  # sin(angle / 2) / (angle / 2)
    return np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * half**2 * (K @ K)


def gyroscopic(L: Floats, w: Floats) -> Floats:
    """Return the acceleration that keeps the momentum where it is."""
    return -np.cross(w, L) / INERTIA


def velocity(L: Floats, w: Floats, dt: float) -> tuple[Floats, Floats | None]:
    """The explicit gyroscopic term; the new velocity turns the body."""
    after = w + dt * gyroscopic(L, w)
    return after, after


def start(L: Floats, w: Floats, dt: float) -> tuple[Floats, Floats | None]:
    """The velocity at the start."""
    return w, None


def half(L: Floats, w: Floats, dt: float) -> tuple[Floats, Floats | None]:
    """Half of the explicit gyroscopic term."""
    return w + 0.5 * dt * gyroscopic(L, w), None


def middle(L: Floats, w: Floats, dt: float) -> tuple[Floats, Floats | None]:
    """The velocity that the momentum has half a turn on: ``I W = exp(dt W / 2)' L``."""
    W = w
    for _ in range(ROUNDS):
        W = exponential(0.5 * dt * W).T @ L / INERTIA
    return W, None


def moser_veselov(L: Floats, w: Floats, dt: float) -> tuple[Floats, Floats | None]:
    """``F J - J F' = dt [L]`` with F = exp(dt W), J = tr(I)/2 - I (Moser and Veselov 1991)."""
    J, W = np.diag(0.5 * INERTIA.sum() - INERTIA), w
    for _ in range(ROUNDS):
        A = exponential(dt * W) @ J
        A = (A - A.T) / dt
        W = W + (L - np.array([A[2, 1], A[0, 2], A[1, 0]])) / INERTIA
    return W, None


WAYS: dict[str, Way] = {
    "velocity": velocity,
    "momentum; velocity at the start": start,
    "momentum; half the gyroscopic term": half,
    "momentum; velocity of the middle": middle,
    "momentum; Moser and Veselov's": moser_veselov,
}


def by_hand(way: Way, dt: float, steps: int) -> tuple[Floats, Floats]:
    """Return the orientations, (steps + 1, 3, 3), and velocities in the body's axes."""
    R, w, L0 = np.eye(3), START.copy(), INERTIA * START
    turned, spins = [R], [w]
    for _ in range(steps):
        carried = INERTIA * w if way is velocity else R.T @ L0
        W, after = way(carried, w, dt)
        R = R @ exponential(dt * W)
        w = R.T @ L0 / INERTIA if after is None else after
        turned.append(R)
        spins.append(w)
    return np.array(turned), np.array(spins)


def by_footfall(dt: float, steps: int) -> tuple[Floats, Floats]:
    """Return the same of the simulator."""
    body = Shape(rigid_model(1.0, INERTIA), []).at((0, 0, 0), angular=START)
    sim = simulator(body, gravity=np.zeros(3), dt=dt)
    turned, spins = [np.eye(3)], [START]
    for _ in range(steps):
        sim.step()
        turned.append(rotation_matrix(sim.q[3:7]))
        spins.append(sim.v[3:6].copy())
    return np.array(turned), np.array(spins)


def exact(seconds: float) -> Floats:
    """Return the orientation after so long, from R' = R [w] and Euler's equations."""

    def rates(_: float, x: Floats) -> Floats:
        R, w = x[:9].reshape(3, 3), x[9:]
        return np.concatenate([np.cross(R, w).ravel(), gyroscopic(INERTIA * w, w)])

    x = np.concatenate([np.eye(3).ravel(), START])
    return solve_ivp(rates, (0.0, seconds), x, "DOP853", rtol=1e-13, atol=1e-14).y[:9, -1]


def row(label: str, found: tuple[Floats, Floats], dt: float) -> str:
    """Return a row of the table."""
    turned, spins = found
    momentum, L0 = np.einsum("kij,kj->ki", turned, INERTIA * spins), INERTIA * START
    lost = np.linalg.norm(momentum - L0, axis=1).max() / np.linalg.norm(L0)
    energy = spins**2 @ INERTIA
    gained = np.abs(energy / energy[0] - 1.0).max()
    after = min(round(1.0 / dt), len(turned) - 1)
    chord = np.linalg.norm(turned[after].ravel() - exact(after * dt)) / np.sqrt(8.0)
    return f"| {label} | {dt:g} s | {lost:.0e} | {gained:.0e} | {2.0 * np.arcsin(chord):.1e} rad |"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.turning", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the body tumbles")
    parser.add_argument("--step", type=float, action="append", help="[s]; may be repeated")
    chosen = parser.parse_args(arguments)
    print(
        "| carried on; what turns the body | step | angular momentum | energy | angle after 1 s |"
    )
    print("|---|---|---|---|---|")
    for dt in chosen.step or [1e-3, 5e-3]:
        steps = round(chosen.seconds / dt)
        for label, way in WAYS.items():
            print(row(label, by_hand(way, dt, steps), dt))
        print(row("momentum; mean velocity (Footfall)", by_footfall(dt, steps), dt), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
