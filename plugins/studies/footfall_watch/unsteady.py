"""Motion that steps are too long for: controllers that chatter, bodies that spin."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from footfall.api.plugin import Floats
from footfall_stepper.api import StepperSimulator
from footfall_watch.stable_step import scheme_of

WINDOW, SHORT = 100, 8
"""Steps that chatter is looked for in; and before an explosion, which takes few."""
TURN, QUICK = 5.0, 2.5
"""Steps between two turns of a torque up to which it chatters: over a window, and over fewer steps,
in which a foot that lands may turn it as often, [-]."""
LATE = 2.5
"""More of them for each step by which torques of explicit gains are held or late, [-]; limit cycles
have two."""
NOISE = 1.5
"""Steps between two turns from which noise may be the cause, too: without it there is one."""
SWING = 0.2
"""Least standard deviation of a torque that chatters, relative to its largest value, [-]."""
JUMP = 1e-3
"""Least median change of the joint's speed in a step, [rad/s or m/s]: a million times that of
bundled scenes whose torques turn as often, by rounding."""
SPIN, ROUND = 0.2, 1.05
"""Turn in a step from which a body spins too fast for it, [rad]: at 0.3 its attitude is wrong by
0.4 rad after 150 rad. Ratio of principal inertias up to which any spin is exact, [-]."""


class Chatter:
    """Looks for joints whose torque turns over every few steps while their speed jumps."""

    def __init__(self, sim: StepperSimulator) -> None:
        """Begin to watch a simulator."""
        self._sim, dof, at = sim, np.asarray(sim.world.joint_dofs), sim.layout.slice_of
        self._columns = np.concatenate([at("tau").start + dof, at("v").start + dof])
        self._names, self._lag = [sim.labels.velocity[k] for k in dof], np.zeros(len(dof))
        for name, pace in sim.participants.rates.items():
            part = sim.world.joint_slice(sim.world.index(name))
            self._lag[(dof >= part.start) & (dof < part.stop)] = pace.delay + pace.period - 1
        self.window = max(WINDOW, int(6.0 * (TURN + LATE * self._lag).max(initial=0.0)))
        self._rows, self._new = np.zeros((0, len(self._columns))), 0

    def see(self, rows: Floats) -> bool:
        """Take the rows of new steps; return whether they have filled a window."""
        self._rows = np.concatenate([self._rows[-self.window :], rows[:, self._columns]])
        self._new = self._new % self.window + len(rows)
        return self._new >= self.window

    def found(self, count: int = 0, after: int = 0) -> tuple[str, str]:
        """Return the joint that chatters, and the cause and its cure; "" if none does.

        Args:
            count: number of rows to look at; 0: a window.
            after: number of the last rows that do not count.
        """
        rows = self._rows[: len(self._rows) - after][-(count or self.window) :]
        tau, v = np.split(rows, 2, axis=1)
        if len(tau) < SHORT or not len(self._names):
            return "", ""
        step, least = np.abs(np.diff(v, axis=0)), JUMP * self._sim.world.metre
        if (step < least).all():  # at rest: medians take longer than the steps
            return "", ""
        implicit = self._implicit()
        late = np.where(implicit, 0.0, self._lag)
        with np.errstate(all="ignore"):
            swing = tau - np.median(tau, axis=0)
            turns = (swing[1:] * swing[:-1] < 0.0).sum(axis=0)
            jump = np.median(step, axis=0)
            most = TURN + LATE * late if len(tau) >= self.window else np.where(late, 0.0, QUICK)
            found = turns * most >= np.maximum(3.0 * most, len(tau))
            found &= swing.std(axis=0) >= SWING * np.abs(tau).max(axis=0)
            found &= jump >= least
        k, dt = int(np.argmax(np.where(found, jump, -1.0))), self._sim.time_step
        if not found[k]:
            return "", ""
        steps = len(tau) / turns[k]
        more = ", or amplify noise" if steps > NOISE else ""
        more = f" and a delay of {dt * late[k]:g} s" if late[k] else more
        why, guest = "explicit gains", self._sim.stepper.guest
        cure = "let the controller give gains (footfall.Command), or take smaller ones"
        if implicit[k]:
            why = f'gains under simulator "{guest.name}"' if guest else "gains at a torque limit"
            cure = "take smaller gains or shorter steps"
        return self._names[k], (
            f"the controller chatters, the torque of {self._names[k]} turns over every {steps:.2g} "
            f"steps by {np.ptp(tau[:, k]):.3g}: {why} are too stiff for steps of {dt:g} s{more}: "
            f"{cure}"
        )

    def _implicit(self) -> npt.NDArray[np.bool_]:
        """Return which joints' commands hold gains, which the step takes implicitly."""
        bodies = self._sim.world.bodies
        commands = [self._sim.driving.command(body.name) for body in bodies]
        gains = [command.stiffness + command.damping for command in commands]
        return np.concatenate(gains) > 0.0


def spin_of(sim: StepperSimulator, rows: Floats) -> tuple[str, str]:
    """Return the free body that turns too far in a step, and the cure; "" if there is none."""
    topology = sim.world.topology
    rate = rows[:, sim.layout.slice_of("base_velocity")].reshape(len(rows), -1, 6)[:, :, 3:]
    if 2.0 * sim.time_step * max(rate.max(), -rate.min()) < SPIN:  # a norm is under twice that
        return "", ""
    with np.errstate(all="ignore"):
        turn = sim.time_step * np.linalg.norm(rate, axis=2).max(axis=0)
    tree = int(np.argmax(np.where(topology.floating, turn, 0.0)))
    if not topology.floating[tree] or not SPIN < turn[tree] < np.inf:
        return "", ""
    links, scheme = np.flatnonzero(topology.link_tree == tree), scheme_of(sim)
    inertia = np.linalg.eigvalsh(topology.inertia[links[0]])
    if scheme is None or (len(links) == 1 and inertia[-1] <= ROUND * inertia[0]):
        return "", ""
    other = topology.closed[tree] and not scheme.by_middle
    other = ' or integrator.plugin = "moreau_midpoint"' if other else ""
    short = sim.time_step * 0.5 * SPIN / turn[tree]
    cure = f"it turns by {turn[tree]:.2g} rad a step: use steps of {short:.1g} s{other}"
    return sim.world.bodies[tree].name, cure
