"""Motion that steps are too long for: controllers that chatter, bodies that spin."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Floats
from footfall_stepper.api import StepperSimulator
from footfall_watch.stable_step import scheme_of

WINDOW, SHORT = 100, 8
"""Steps that chatter is looked for in; and before an explosion, which takes few."""
TURN = 5.0
"""Steps between two turns of a torque up to which it chatters; 4 more for each step of delay."""
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
        self._turn = TURN + 4.0 * self._lag
        self.window = max(WINDOW, int(6.0 * self._turn.max(initial=0.0)))
        self.joint, self.cause = "", ""
        self.restart()

    def restart(self) -> None:
        """Forget the rows so far."""
        self._rows = np.zeros((0, len(self._columns)))

    def see(self, rows: Floats) -> None:
        """Take the rows of new steps."""
        self._rows = np.concatenate([self._rows[-self.window :], rows[:, self._columns]])

    def found(self, count: int = 0, after: int = 0) -> bool:
        """Return whether a joint chatters; note it in ``joint`` and ``cause``.

        Args:
            count: number of rows to look at; 0: a window.
            after: number of the last rows that do not count.
        """
        seen = self._rows[: len(self._rows) - after]
        tau, v = np.split(seen[-(count or self.window) :], 2, axis=1)
        if len(tau) < SHORT or not len(self._names):
            return False
        with np.errstate(all="ignore"):
            swing = tau - np.median(tau, axis=0)
            turns = (swing[1:] * swing[:-1] < 0.0).sum(axis=0)
            wide = swing.std(axis=0) >= SWING * np.abs(tau).max(axis=0)
            jump = np.median(np.abs(np.diff(v, axis=0)), axis=0)
            often = turns >= np.maximum(3.0, len(tau) / self._turn)
        found = np.flatnonzero(often & wide & (jump >= JUMP * self._sim.world.metre))
        if len(found):
            worst = found[np.argmax(jump[found])]
            self._tell(worst, len(tau) / turns[worst], float(np.ptp(tau[:, worst])))
        return len(found) > 0

    def _tell(self, k: int, steps: float, swing: float) -> None:
        dt, self.joint = self._sim.time_step, self._names[k]
        more = f" and a delay of {dt * self._lag[k]:g} s" if self._lag[k] else ""
        more = more or (", or amplify noise" if steps > NOISE else "")
        self.cause = (
            f"the torque of {self.joint} turns over every {steps:.2g} steps, by {swing:.3g}: "
            f"explicit gains are too stiff for steps of {dt:g} s{more}: let the controller give "
            "gains (footfall.Command), or take smaller ones"
        )


class Spin:
    """Looks for free bodies that turn too far in a step."""

    def __init__(self, sim: StepperSimulator) -> None:
        """Begin to watch a simulator."""
        topology, self._sim = sim.world.topology, sim
        moves = scheme_of(sim) is not None and sim.stepper.guest is None
        floating = np.flatnonzero(topology.floating).tolist() if moves else []
        trees = [tree for tree in floating if not _round(sim, tree)]
        first = sim.layout.slice_of("v").start + topology.tree_v[trees].astype(int)
        self._trees, self._columns = trees, np.array([np.arange(3, 6) + k for k in first], int)
        self._turn = np.zeros(len(trees))

    def see(self, rows: Floats) -> None:
        """Take the rows of new steps."""
        if self._trees:
            turn = self._sim.time_step * np.linalg.norm(rows[:, self._columns], axis=2)
            self._turn = np.fmax(self._turn, turn.max(axis=0))

    def found(self) -> tuple[str, str]:
        """Return the body that has turned too far in a step, and the cure; "" if there is none."""
        turn = self._turn.max(initial=0.0)
        if not turn > SPIN:
            return "", ""
        tree, scheme = self._trees[int(np.argmax(self._turn))], scheme_of(self._sim)
        held = self._sim.world.topology.closed[tree] and scheme and not scheme.by_middle
        other = ' or integrator.plugin = "moreau_midpoint"' if held else ""
        short = self._sim.time_step * 0.5 * SPIN / turn
        cure = f"it turns by {turn:.2g} rad a step: use steps of {short:.1g} s{other}"
        return self._sim.world.bodies[tree].name, cure


def _round(sim: StepperSimulator, tree: int) -> bool:
    """Return whether a tree is one link with equal principal inertias."""
    links = np.flatnonzero(sim.world.topology.link_tree == tree)
    inertia = np.linalg.eigvalsh(sim.world.topology.inertia[links[0]])
    return len(links) == 1 and bool(inertia[-1] <= ROUND * inertia[0])
