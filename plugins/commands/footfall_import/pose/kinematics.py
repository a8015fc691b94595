"""Inverse kinematics of one body: pink's tasks on Pinocchio's model, solved by ProxQP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio

from footfall.api.advanced import load_proxqp
from footfall.api.engine import ModelSource, Pose, TreeModel
from footfall.api.plugin import Floats, RobotError

POSITION, ROTATION, MASS_CENTRE = 1.0, 0.3, 0.1
"""Costs of a frame's position [1/m] and orientation [1/rad], and of the centre of mass [1/m]."""
PULLS = (1e-1, 1e-2, 1e-3, 0.0)
"""Costs of the distance from the first posture, [1/rad], in sequence. At first they choose among
the solutions; the last one, 0, leaves the goals exact."""
DAMPING = 1e-8
"""Cost of the joints' steps; it selects the smallest of equivalent steps."""
STEPS = 150
"""Greatest number of steps for each cost."""
STILL = 1e-9
"""Step of all joints below which a search ends, [rad or m]."""
LONGEST = 0.5
"""Longest step of a joint, [rad or m]; the linear model is not accurate beyond it."""
TRIES = 30
"""Number of searches from random postures if the search from the first posture fails."""
ROOM = 1e-7
"""Distance of joints from their limits, [rad or m]."""
CLOSE = 1e-5, 1e-4
"""Tolerance of a goal, [m] and [rad]."""
ACCURACY = {"eps_abs": 1e-11, "eps_rel": 0.0}
"""Tolerances of ProxQP."""


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """The goal pose of a frame.

    Attributes:
        frame: its name in the robot's model.
        position: shape (3,), [m], world frame.
        rotation: shape (3, 3), frame to world; None: free.
    """

    frame: str
    position: Floats
    rotation: Floats | None = None

    def error(self, reached: Pose) -> tuple[float, float]:
        """Return the distance [m] and angle [rad] of a reached pose from the goal."""
        far = float(np.linalg.norm(reached.translation - self.position))
        if self.rotation is None:
            return far, 0.0
        turn = pinocchio.log3(self.rotation.T @ reached.rotation)
        return far, float(np.linalg.norm(turn))


@dataclass(frozen=True, slots=True, eq=False)
class Linkage:
    """The variables and constraints of a search.

    Attributes:
        source: the body's source for engines.
        model: the constants of the tree that an engine loaded from it.
        limits: shape (joints, 2), lower and upper, infinite if unlimited, [rad or m].
        held: indices of joints that stay in place.
        followers: couplings: index of the follower, index of the leader, ratio, offset.
        base_moves: True if a floating base may move; the centre of mass then keeps its horizontal
            position.
    """

    source: ModelSource
    model: TreeModel
    limits: Floats
    held: Sequence[int] = ()
    followers: Sequence[tuple[int, int, float, float]] = ()
    base_moves: bool = False


class Kinematics:
    """A body's Pinocchio model with one frame per goal.

    Positions are in the order of engines: ``[base x y z, quaternion x y z w, joints]``.
    """

    def __init__(self, linkage: Linkage, goals: Sequence[Goal]) -> None:
        """Build the model.

        Raises:
            RobotError: if Pinocchio cannot read it.
        """
        self.linkage, self.goals = linkage, goals
        self._pin: Any = _built(linkage.source)
        self._joints = [self._pin.getJointId(name) for name in linkage.model.joint_names]
        self._rows = np.array([self._pin.idx_qs[j] for j in self._joints], int)
        self._dofs = np.array([self._pin.idx_vs[j] for j in self._joints], int)
        self._base = np.arange(self._pin.nv - len(self._joints))
        if len(self._joints):
            self._pin.lowerPositionLimit[self._rows] = linkage.limits[:, 0] + ROOM
            self._pin.upperPositionLimit[self._rows] = linkage.limits[:, 1] - ROOM
        self.frames = [self._add_frame(number, goal) for number, goal in enumerate(goals)]
        self._data = self._pin.createData()

    def refuse_far(self, q: Floats) -> None:
        """Check that no goal is farther away than the length of the stretched chain to its frame.

        Raises:
            RobotError: if a goal is out of reach with the base at q; names the reach.
        """
        if self.linkage.base_moves:
            return
        pinocchio.framesForwardKinematics(self._pin, self._data, self._inwards(q))
        for name, goal in zip(self.frames, self.goals, strict=True):
            still, length = self._stretched(self._pin.frames[self._pin.getFrameId(name)])
            far = float(np.linalg.norm(goal.position - still))
            if far > length + CLOSE[0]:
                can = f"reaches at most {length:.3g} m from there" if length else "does not move"
                text = f"{goal.frame!r} {can}, and its goal is {far:.3g} m from there"
                first = " ".join(f"{x:.3g}" for x in still)
                raise RobotError(
                    f"{self.linkage.source.name}: out of reach: its first joint stays at {first}; "
                    f"{text}"
                )

    def _stretched(self, frame: Any) -> tuple[Floats, float]:
        """Return a fixed point, (3,), world frame, and a frame's largest distance from it, [m].

        The distance is the sum of the distances between consecutive joints. A prismatic joint adds
        its larger limit.
        """
        joint, length = frame.parentJoint, float(np.linalg.norm(frame.placement.translation))
        held = {self._joints[k] for k in self.linkage.held}
        moving = {j: k for k, j in enumerate(self._joints) if j not in held}
        if joint not in moving:
            return np.array((self._data.oMi[joint] * frame.placement).translation), 0.0
        while True:
            if self._pin.joints[joint].shortname().startswith("JointModelP"):
                length += float(np.abs(self.linkage.limits[moving[joint]]).max())
            placement, parent = self._pin.jointPlacements[joint], self._pin.parents[joint]
            if parent not in moving:
                return np.array((self._data.oMi[parent] * placement).translation), length
            length += float(np.linalg.norm(placement.translation))
            joint = parent

    def solve(self, q: Floats) -> Floats:
        """Return the best positions found, shape (nq,).

        The search starts at q. If it fails, further searches start from random postures. Of those
        that succeed, the result nearest to q is returned; if none does, the one nearest to the
        goals.
        """
        first = self._inside(self._inwards(q))
        best = self._search(first, first)
        if self.met(best):
            return self._outwards(best)
        found = [self._search(start, first) for start in self._starts(first)]
        met = [other for other in found if self.met(other)]
        if met:
            return self._outwards(min(met, key=lambda x: float(np.abs(x - first).max())))
        return self._outwards(min([best, *found], key=self._miss))

    def met(self, q: Floats) -> bool:
        """Return whether all goals are met, at positions in Pinocchio's order."""
        return all(far <= CLOSE[0] and turn <= CLOSE[1] for far, turn in self._errors(q))

    def _errors(self, q: Floats) -> list[tuple[float, float]]:
        pinocchio.framesForwardKinematics(self._pin, self._data, q)
        places = [self._data.oMf[self._pin.getFrameId(name)] for name in self.frames]
        reached = [Pose(place.rotation, place.translation) for place in places]
        return [goal.error(pose) for goal, pose in zip(self.goals, reached, strict=True)]

    def _miss(self, q: Floats) -> float:
        return max(max(far / CLOSE[0], turn / CLOSE[1]) for far, turn in self._errors(q))

    def _search(self, q: Floats, first: Floats) -> Floats:
        """Return the end of a search from q; each step weighs the goals and the distance to first.

        ``min sum_k c_k^2 |e_k + J_k dq|^2 + p^2 |q + dq - q_first|^2`` inside the limits, with
        equality constraints (pink's differential inverse kinematics with a step of one).
        """
        load_proxqp()  # before pink, which would import another build of it
        import pink
        from pink.exceptions import NoSolutionFound
        from pink.limits import ConfigurationLimit

        here = pink.Configuration(self._pin, self._data, q)
        limits = [ConfigurationLimit(self._pin)]
        tasks, posture = self._tasks(first)
        holds = self._equalities(first)
        for pull in PULLS:
            posture.cost = pull
            for _ in range(STEPS):
                try:
                    step = pink.solve_ik(
                        here,
                        [*tasks, posture],
                        1.0,
                        "proxqp",
                        damping=DAMPING,
                        limits=limits,
                        constraints=holds,
                        safety_break=False,
                        **ACCURACY,
                    )
                except NoSolutionFound:
                    return np.array(here.q)
                size = float(np.abs(step).max())
                if not np.isfinite(size):
                    return np.array(here.q)
                here.integrate_inplace(step * min(1.0, LONGEST / max(size, STILL)), 1.0)
                if size < STILL:
                    break
        return np.array(here.q)

    def _tasks(self, first: Floats) -> tuple[list[Any], Any]:
        from pink.tasks import ComTask, FrameTask, PostureTask

        tasks = []
        for name, goal in zip(self.frames, self.goals, strict=True):
            turned = goal.rotation is not None
            task = FrameTask(name, POSITION, ROTATION if turned else 0.0, lm_damping=1e-3)
            rotation = goal.rotation if turned else np.eye(3)
            task.set_target(pinocchio.SE3(rotation, goal.position))
            tasks.append(task)
        if self.linkage.base_moves:
            balance = ComTask(cost=np.array([MASS_CENTRE, MASS_CENTRE, 0.0]))
            balance.set_target(pinocchio.centerOfMass(self._pin, self._data, first).copy())
            tasks.append(balance)
        posture = PostureTask(cost=PULLS[0])
        posture.set_target(first)
        return tasks, posture

    def _equalities(self, first: Floats) -> list[Any]:
        """Return the equality constraints ``A (q - q_first) = b``."""
        from pink.tasks import LinearHolonomicTask

        rows, values = [], []
        still = [] if self.linkage.base_moves else list(self._base)
        for dof in [*still, *self._dofs[list(self.linkage.held)]]:
            rows.append(np.eye(self._pin.nv)[dof])
            values.append(0.0)
        for joint, of, ratio, offset in self.linkage.followers:
            unit = np.eye(self._pin.nv)
            rows.append(unit[self._dofs[joint]] - ratio * unit[self._dofs[of]])
            there, leader = first[self._rows[joint]], first[self._rows[of]]
            values.append(offset + ratio * leader - there)
        if not rows:
            return []
        return [LinearHolonomicTask(np.array(rows), np.array(values), first)]

    def _starts(self, first: Floats) -> Iterator[Floats]:
        """Yield random postures inside the limits, from a fixed seed."""
        rng = np.random.default_rng(0)
        lower, upper = self.linkage.limits.T
        here = first[self._rows]
        low = np.where(np.isfinite(lower), lower, here - np.pi)
        high = np.where(np.isfinite(upper), upper, here + np.pi)
        for _ in range(TRIES):
            q = first.copy()
            q[self._rows] = rng.uniform(low, high)
            for joint in self.linkage.held:
                q[self._rows[joint]] = here[joint]
            yield self._inside(q)

    def _inside(self, q: Floats) -> Floats:
        """Return positions clamped to the limits, with followers set by their leaders."""
        q = q.copy()
        lower, upper = self.linkage.limits.T
        q[self._rows] = np.clip(q[self._rows], lower + 2.0 * ROOM, upper - 2.0 * ROOM)
        for joint, of, ratio, offset in self.linkage.followers:
            q[self._rows[joint]] = ratio * q[self._rows[of]] + offset
        return q

    def _add_frame(self, number: int, goal: Goal) -> str:
        """Add a separate frame for a goal, because links and joints may share names."""
        place = self.linkage.model.frames[goal.frame]
        joint = self._joints[place.link - 1] if place.link > 0 else int(bool(len(self._base)))
        name = f"goal {number}: {goal.frame}"
        at = pinocchio.SE3(place.rotation, place.translation)
        kind = pinocchio.FrameType.OP_FRAME
        self._pin.addFrame(pinocchio.Frame(name, joint, at, kind))
        return name

    def _inwards(self, q: Floats) -> Floats:
        """Return positions of an engine in Pinocchio's order."""
        ours = np.array(pinocchio.neutral(self._pin))
        joints = len(self._rows)
        ours[: len(q) - joints] = q[: len(q) - joints]
        ours[self._rows] = q[len(q) - joints :]
        return ours

    def _outwards(self, q: Floats) -> Floats:
        """Return positions of Pinocchio in an engine's order."""
        return np.concatenate([q[: self._pin.nq - len(self._rows)], q[self._rows]])


def _built(source: ModelSource) -> Any:
    """Return the Pinocchio model of a source.

    Raises:
        RobotError: if the model file is not a URDF.
    """
    if source.format != "urdf":
        raise RobotError(f"{source.path}: only a URDF can be posed (footfall import makes one)")
    if source.base == "floating":
        return pinocchio.buildModelFromXML(source.xml, pinocchio.JointModelFreeFlyer())
    return pinocchio.buildModelFromXML(source.xml)
