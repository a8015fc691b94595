"""The checks of sensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from footfall.devices.external_forces import Pushes
from footfall.errors import PluginError
from footfall.interfaces.engine import Placement
from footfall.interfaces.sensor import Body, Mount, Signal
from footfall.jit.tables import table_of
from footfall.kernels.step.row import COLUMNS
from footfall.model.contact_features import ContactFeature, Foot
from footfall.recording.layout import Layout
from footfall.recording.variables import standard_layout
from footfall.simulation.row import labels
from footfall.spatial.pose import Pose
from footfall.testing.bench import Slope
from footfall.testing.check import Finding, NotApplicable, Subject, checks_of, worst
from footfall.testing.declarations import declarations
from footfall.testing.stage import chain_model
from footfall.typing import Floats
from footfall.world.body import Body as WorldBody
from footfall.world.world import World

FRAME, FOOT = "trunk", "foot"
"""Names of the frame and of the foot that a sensor may be fixed to."""
KINDS = ("vector", "quaternion", "switch")
SEEDS = range(4)


class Robot:
    """Three links in a row on a floating trunk with a foot, in a random state of motion."""

    def __init__(self) -> None:
        place = Placement(0, np.eye(3), np.zeros(3))
        model = replace(chain_model("floating"), frames={FRAME: place, FOOT: place})
        feature = ContactFeature(
            "foot/0", 0, "point", np.zeros(3), np.zeros(3), 0.0, np.nan, np.nan,
            foot=Foot(FOOT, 0, Pose(np.eye(3), np.zeros(3))),
        )  # fmt: skip
        no_tree: Any = _NoTree()
        q, v, n = np.zeros(model.nq), np.zeros(model.nv), len(model.joint_names)
        it = WorldBody("it", model, no_tree, q, v, (feature,), np.zeros(n), np.zeros(n))
        self.world = World([it], np.array([0.0, 0.0, -9.81]))
        self.body = Body("it", model, (FOOT,))
        self.layout: Layout = standard_layout(labels(self.world, Pushes(self.world, ())))
        self.columns = {name: self.layout.slice_of(name).start for name in COLUMNS}

    def mount(self, out: Floats) -> Mount:
        """Return where a sensor finds what it measures."""
        world = self.world
        return Mount(
            body=self.body,
            table=table_of(world.topology, world.joints, world.dynamics),
            columns=self.columns,
            first_link=0,
            first_q=0,
            first_v=0,
            index=0,
            foot={FOOT: 0},
            gravity=world.topology.gravity,
            terrain=Slope(),
            shapes=(),
            out=out,
        )

    def row(self, seed: int) -> Floats:
        """Return a row of a recording; the links' poses and the dofs' twists go with it."""
        rng, dynamics = np.random.default_rng(seed), self.world.dynamics
        row: Floats = rng.normal(size=self.layout.width)
        for name in ("q", "base_quaternion"):
            at = self.columns[name] + (3 if name == "q" else 0)
            row[at : at + 4] /= np.linalg.norm(row[at : at + 4])
        row[self.columns["foot_wrench"] + 2] = 50.0
        dynamics.S[:] = rng.normal(size=dynamics.S.shape)
        for pose in dynamics.pose:
            pose[:9] = np.linalg.qr(rng.normal(size=(3, 3)))[0].ravel()
            pose[:9] *= np.sign(np.linalg.det(pose[:9].reshape(3, 3)))
            pose[9:] = rng.normal(size=3)
        return row


class _NoTree:
    """Stands for an engine's tree, which is not asked."""


def signals_of(subject: Subject, robot: Robot) -> tuple[Signal, ...]:
    """Return the signals of a sensor.

    Raises:
        NotApplicable: if it cannot be fixed to the robot with these settings.
    """
    try:
        found: tuple[Signal, ...] = subject.make().signals(robot.body)
    except PluginError as error:
        raise NotApplicable(f"takes another robot than the kit's: {error}") from error
    return found


def measuring(subject: Subject, robot: Robot) -> tuple[Callable[[Floats], None], Floats]:
    """Return a fresh sensor's measurement and what it writes to."""
    width = sum(len(signal.components) for signal in signals_of(subject, robot))
    out = np.full(width, np.nan)
    return subject.make().bound(robot.mount(out)), out


def signals(subject: Subject) -> Finding:
    """Signals have unique names, components, units and a meaning."""
    found = signals_of(subject, Robot())
    names = [signal.name for signal in found]
    mistakes = [f"{names} are not unique"] if len(set(names)) < len(names) else []
    for signal in found:
        if not signal.name.isidentifier():
            mistakes.append(f"{signal.name!r} is no identifier")
        if not (signal.components and signal.units and signal.long_name):
            mistakes.append(f"{signal.name} lacks components, units or a meaning")
        if signal.kind not in KINDS or (
            signal.kind == "quaternion" and len(signal.components) != 4
        ):
            mistakes.append(f"{signal.name} is no {signal.kind}")
    return Finding(bool(found) and not mistakes, "; ".join(mistakes) or ", ".join(names))


def measurement(subject: Subject) -> Finding:
    """All signals are written and finite, orientations are unit quaternions, switches 0 or 1."""
    return worst(_measurement(subject, seed) for seed in SEEDS)


def _measurement(subject: Subject, seed: int) -> Finding:
    robot = Robot()
    call, out = measuring(subject, robot)
    call(robot.row(seed))
    if not np.isfinite(out).all():
        return Finding(False, f"component {int(np.argmin(np.isfinite(out)))} is not finite")
    at = 0
    for signal in signals_of(subject, robot):
        values = out[at : at + len(signal.components)]
        at += len(values)
        if signal.kind == "quaternion" and abs(np.linalg.norm(values) - 1.0) > 1e-12:
            return Finding(False, f"{signal.name} is no unit quaternion")
        if signal.kind == "switch" and not np.isin(values, (0.0, 1.0)).all():
            return Finding(False, f"{signal.name} is neither 0 nor 1")
    return Finding(True, f"{len(out)} components")


def reading(subject: Subject) -> Finding:
    """A reading's fields are named views of all components."""
    robot = Robot()
    names = [signal.name for signal in signals_of(subject, robot)]
    values = np.zeros(sum(len(signal.components) for signal in signals_of(subject, robot)))
    made: Any = subject.make().reading(robot.body, values)
    missing = [name for name in names if not hasattr(made, name)]
    if missing:
        return Finding(False, f"has no field {missing[0]!r}")
    values[:] = np.arange(1.0, len(values) + 1.0)
    seen = np.concatenate([np.ravel(getattr(made, name)) for name in names])
    return Finding(np.array_equal(seen, values), f"fields {', '.join(names)}")


def inputs(subject: Subject) -> Finding:
    """The row and the world are only read."""
    robot = Robot()
    call, _ = measuring(subject, robot)
    row = robot.row(5)
    before = row.tobytes() + robot.world.dynamics.pose.tobytes() + robot.world.dynamics.S.tobytes()
    call(row)
    after = row.tobytes() + robot.world.dynamics.pose.tobytes() + robot.world.dynamics.S.tobytes()
    return Finding(before == after, "row, poses and twists")


def no_hidden_state(subject: Subject) -> Finding:
    """A measurement depends on the row and the world alone."""
    robot = Robot()
    call, out = measuring(subject, robot)
    for seed in (1, 2, 3):
        call(robot.row(seed))
    call(robot.row(1))
    other = Robot()
    fresh, expected = measuring(subject, other)
    fresh(other.row(1))
    return Finding(out.tobytes() == expected.tobytes(), "after other rows, and at first")


CHECKS = checks_of(
    "sensor",
    declarations,
    signals,
    measurement,
    reading,
    inputs,
    no_hidden_state,
)
