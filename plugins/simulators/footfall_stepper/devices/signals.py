"""Signals of bodies, evaluated on request; the step reuses the evaluations it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy

import numpy as np
import numpy.typing as npt

from footfall.errors import SimulationError, nearest
from footfall.interfaces.engine import LinkFrame
from footfall.interfaces.signal_arrays import allocate_frame, allocate_signals
from footfall.interfaces.signals import BodyFacts, BodySignals, FootPoints, FrameSignals, LastStep
from footfall.jit.compiling import bind
from footfall.jit.stages import Stage, Stages
from footfall.jit.tables import table_of
from footfall_stepper.devices.joint_torques import DriveGroup
from footfall_stepper.kernels.dynamics import signals as kernels
from footfall_stepper.kernels.tables import Evaluation
from footfall_stepper.world.body import Body
from footfall_stepper.world.state import State
from footfall_stepper.world.world import World


def foot_points(body: Body) -> dict[str, FootPoints]:
    """Return points and spheres of each foot by name, in the foot's frame; rims are left out."""
    features = [f for f in body.features if f.foot is not None]
    found: dict[str, FootPoints] = {}
    for name, foot in {f.foot.name: f.foot for f in features if f.foot}.items():
        own = [f for f in features if f.foot and f.foot.name == name and f.kind != "rim"]
        places = np.array([f.position for f in own], float).reshape(-1, 3)
        positions, radii = foot.pose.inverse().apply(places), np.array([f.radius for f in own])
        positions.flags.writeable = radii.flags.writeable = False
        found[name] = FootPoints(positions, radii)
    return found


Ahead = dict[int, Callable[[], bool]]
"""Trees that an engine has evaluated before the step requests it: by index, a check whether the
evaluation still belongs to the present state."""


class SignalSource:
    """The evaluation of one body's signals.

    Kernels are compiled at the first request.

    Args:
        world: the body's world.
        state: the simulation's.
        index: index of the body.
        ahead: collects evaluations that the next step need not repeat.

    Attributes:
        arrays: the evaluated signals.
        feet: poses and Jacobians of the body's feet, (feet, 4, 4) and (feet, 6, nv).
        used: kernels that evaluate what has been read since this was emptied, in order.
    """

    def __init__(self, world: World, state: State, index: int, ahead: Ahead) -> None:
        self._world, self._state, self._index, self._ahead = world, state, index, ahead
        q, v = state["q"][world.q_slice(index)], state["v"][world.v_slice(index)]
        self._body = world.bodies[index]
        self.arrays = allocate_signals(q, v, self._body.model.n_links)
        self._table = table_of(self.arrays)
        prefix, names = f"{self._body.name}/", world.foot_names
        self.foot_names = tuple(n.removeprefix(prefix) for n in names if n.startswith(prefix))
        feet, nv = len(self.foot_names), self._body.model.nv
        self.feet = np.zeros((feet, 4, 4)), np.zeros((feet, 6, nv))
        self.used: dict[str, Callable[[], object]] = {}
        self._current: Callable[[], bool] | None = None
        self._motors: Callable[[], None] | None = None
        self._world_table = table_of(world.topology, world.joints)

    def _bind(self) -> Callable[[], bool]:
        index, mine = self._index, self._table
        current = self._current = bind(kernels.current, mine)
        evaluation, self._evaluate = self._engine()
        self._describe = bind(
            kernels.describe, self._world_table, table_of(evaluation), mine, index
        )
        return current

    def _engine(self) -> tuple[Evaluation, Callable[[], None]]:
        """Return the arrays of the body's evaluation, and the call that evaluates it."""
        tree, arrays = self._body.tree, self.arrays
        if tree is not None:
            evaluate = tree.evaluate
            return Evaluation(tree.M, tree.h, tree.S, tree.pose), lambda: evaluate(
                arrays.q, arrays.v
            )
        world, index = self._world, self._index
        own = deepcopy(world.dynamics)
        table = table_of(world.topology, world.joints, own)
        q, v = self._state["q"], self._state["v"]
        links = slice(*world.topology.tree_link[index : index + 2])
        at, block = world.v_slice(index), slice(*world.topology.tree_M[index : index + 2])
        found = Evaluation(own.M[block].reshape(6, 6), own.h[at], own.S[at], own.pose[links])
        return found, bind(kernels.evaluate_lone_body, table, q, v, index)

    def update(self, evaluated: bool = False) -> None:
        """Evaluate the signals at the present state.

        Args:
            evaluated: whether the step's engine has just evaluated the state.
        """
        current, has_engine = self._current or self._bind(), self._body.tree is not None
        self.used.setdefault("", self._describe)
        if current():
            return
        if not (evaluated and has_engine):
            self._evaluate()
        if has_engine and not evaluated:
            self._ahead[self._index] = current
        self._describe()

    def stages(self, program: Stages) -> list[Stage]:
        """Return the stages that evaluate what is ``used``, at the present state."""
        if not self.used:
            return []
        first, calls = self._evaluate, list(self.used.values())
        if self._body.tree is not None:
            compiled = self._body.tree.compiled(self.arrays.q, self.arrays.v)
            if compiled is None:
                first, calls = self.update, calls[1:]  # the engine does not evaluate it again
            else:
                first = bind(compiled.evaluate, compiled.table)
        return [program.stage(call) for call in (first, *calls)]

    def motors(self) -> None:
        """Evaluate the present reflected inertia."""
        if self._motors is None:
            tables = self._world_table, self._table
            self._motors = bind(kernels.describe_motors, *tables, self._index)
        self._motors()

    def find(self, name: str) -> FrameSignals:
        """Return the signals of a frame.

        Raises:
            SimulationError: if the body has no frame of that name; suggests the nearest.
        """
        placed = places(self._body)
        if name not in placed:
            raise SimulationError(f"{self._body.name} has no frame {name!r}{nearest(name, placed)}")
        at = placed[name]
        place = np.concatenate([at.rotation.T.ravel(), at.translation]).astype(float)
        link, arrays = at.link, allocate_frame(place, self._body.model.nv)
        if name in self.foot_names:
            pose, jacobian = (array[self.foot_names.index(name)] for array in self.feet)
            pose[:], arrays = arrays.pose, arrays._replace(pose=pose, jacobian=jacobian)
        kernel: Callable[[], None] | None = None
        done = 0.0

        def update() -> None:
            nonlocal kernel, done
            self.update()
            if kernel is None:
                kernel = bind(
                    kernels.describe_frame,
                    *(self._world_table, self._table, table_of(arrays), self._index, link),
                )
            self.used.setdefault(name, kernel)
            if done != self.arrays.evaluations[0]:
                kernel()
                done = float(self.arrays.evaluations[0])

        return FrameSignals(arrays, update)


def places(body: Body) -> dict[str, LinkFrame]:
    """Return the frames of a body by name: links, named frames of the model file, feet."""
    feet = [feature.foot for feature in body.features if feature.foot is not None]
    return {
        **{
            link: LinkFrame(k, np.eye(3), np.zeros(3))
            for k, link in enumerate(body.model.link_names)
        },
        **body.model.frames,
        **{f.name: LinkFrame(f.link, f.pose.rotation, f.pose.translation) for f in feet},
    }


class Signals:
    """The signals of a simulation's bodies, built at the first request.

    Attributes:
        sources: their evaluations, by body.
        ahead: see ``Ahead``.
    """

    def __init__(
        self, world: World, state: State, drives: Sequence[DriveGroup], ahead: Ahead
    ) -> None:
        self._world, self._state, self._drives, self.ahead = world, state, drives, ahead
        self._made: dict[str, BodySignals] = {}
        self.sources: dict[str, SignalSource] = {}

    def of(self, body: str) -> BodySignals:
        """Return the signals of a body.

        Raises:
            SimulationError: if there is no such body; suggests the nearest.
        """
        made = self._made.get(body) if isinstance(body, str) else None
        if made is None:
            names = [b.name for b in self._world.bodies]
            if not isinstance(body, str) or body not in names:
                raise SimulationError(f"no body {body!r}{nearest(body, names)}")
            made = self._made[body] = self._make(body)
        return made

    def _make(self, name: str) -> BodySignals:
        world, state, index = self._world, self._state, self._world.index(name)
        source = self.sources[name] = SignalSource(world, state, index, self.ahead)
        prefix, facts = f"{name}/", self._facts(index)
        contacts = [c for c, n in enumerate(world.contact_names) if n.startswith(prefix)]
        touching = state["touching"][contacts[0] : contacts[-1] + 1] if contacts else np.zeros(0)
        last = LastStep(
            nudot=state["nudot"][world.v_slice(index)],
            touching=touching,
            wrenches={
                n.removeprefix(prefix): state["foot_wrench"][k]
                for k, n in enumerate(world.foot_names)
                if n.startswith(prefix)
            },
        )
        calls = source.update, source.motors, source.find
        return BodySignals(facts, source.arrays, last, *calls, source.feet)

    def _facts(self, index: int) -> BodyFacts:
        world, body = self._world, self._world.bodies[index]
        model, prefix = body.model, f"{body.name}/"
        limits = np.array(model.effort_limit, float)
        for drives in self._drives:
            if drives.body == body.name and drives.transmission.coupling is None:
                given = np.isfinite(drives.limit)
                limits[drives.transmission.joints[given]] = drives.limit[given]
        limits.flags.writeable = False
        gravity = world.topology.gravity.view()
        gravity.flags.writeable = False
        return BodyFacts(
            joint_names=model.joint_names,
            link_names=model.link_names,
            foot_names=self.sources[body.name].foot_names,
            foot_points=foot_points(body),
            contact_names=tuple(n for n in world.contact_names if n.startswith(prefix)),
            mass=model.mass,
            gravity=gravity,
            torque_limits=limits,
            joint_damping=_joint_damping(world, index),
        )


def _joint_damping(world: World, index: int) -> npt.NDArray[np.float64]:
    """Return the viscous friction of a body's joints, (n_joints, n_joints)."""
    joints, at = world.joints, world.joint_slice(index)
    matrix = np.diag(joints.damping[at])
    pairs = slice(*joints.coupling_start[index : index + 2])
    rows, columns = (joints.coupling[pairs] - world.bodies[index].joint_offset).T
    matrix[rows, columns] = matrix[columns, rows] = joints.coupling_damping[pairs]
    matrix.flags.writeable = False
    return matrix
