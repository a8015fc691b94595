"""The row recorded in each step, the labels along its dimensions, its variables by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from footfall.errors import RecordingError, nearest
from footfall.interfaces.contact import ContactModel
from footfall.recording.layout import Layout, RaggedTable, Variable
from footfall.recording.variables import (
    OF_JOINTS,
    Column,
    Labels,
    standard_coords,
    standard_layout,
)
from footfall.typing import Floats, Ints
from footfall_stepper.devices.external_forces import Pushes
from footfall_stepper.devices.participants import Participants
from footfall_stepper.devices.sensors import sensor_variables
from footfall_stepper.stepping.law import law_variables
from footfall_stepper.world.world import World


def labels(world: World, pushes: Pushes) -> Labels:
    """Return the labels along a recording's dimensions; a single body's joints keep their names."""
    several = len(world.bodies) > 1
    position: list[str] = []
    velocity: list[str] = []
    joints: list[str] = []
    for body in world.bodies:
        names = [f"{body.name}/{n}" if several else n for n in body.model.joint_names]
        if body.model.base == "floating":
            position += [f"{body.name}/{c}" for c in ("x", "y", "z", "qx", "qy", "qz", "qw")]
            velocity += [f"{body.name}/{c}" for c in ("vx", "vy", "vz", "wx", "wy", "wz")]
        position += names
        velocity += names
        joints += names
    return Labels(
        tuple(position),
        tuple(velocity),
        tuple(joints),
        world.contact_names,
        tuple(body.name for body in world.bodies),
        world.foot_names,
        world.loop_names,
        pushes.names if pushes.scheduled else None,
        world.joint_row_names,
        world.collider is not None,
    )


def row_layout(
    world: World,
    law: ContactModel,
    participants: Participants,
    pushes: Pushes,
    tables: tuple[RaggedTable, ...],
) -> tuple[Labels, Layout]:
    """Return labels and layout: the columns of every run, then those of its participants.

    Args:
        world: the bodies.
        law: contact law.
        participants: sensors, signals and hands.
        pushes: of the scene.
        tables: ragged tables beside the row.
    """
    measured = sensor_variables(participants.sensors)
    more = {dim: signal.components for dim, _, signal in measured}
    for one in participants.signals:
        more |= one.labels
    hands = participants.interaction
    named = replace(labels(world, pushes), more=more | dict(hands.labels if hands else {}))
    variables = (
        *law_variables(law, world.n_contacts),
        *([Column.CONTACT_MOMENT.variable(standard_coords(named))] if world.moments else []),
        *(variable for _, variable, _ in measured),
        *(one.variable for one in participants.signals),
        *(hands.variables(world.link_names) if hands else ()),
        *(variable for one in participants.certificates for variable in one.variables),
    )
    return named, standard_layout(named, tables, variables)


class RowSignals:
    """The variables of a recording, read from one row and from the tables beside it.

    Args:
        layout: of the row.
        labels: along its dimensions.
        row: shape (width,), overwritten by each step.
        table_rows: returns the rows of the ragged table of the last step.
    """

    def __init__(
        self,
        layout: Layout,
        labels: Labels,
        row: Floats,
        table_rows: Callable[[], npt.NDArray[np.void]],
    ) -> None:
        self._layout, self._labels, self._row, self._table_rows = layout, labels, row, table_rows
        self._views = {v.name: layout.view(row, v.name) for v in layout.variables}

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """Variables by name; a column of a table has the dimensions of one of its rows."""
        joints, found = (len(self._labels.joint),), {v.name: v for v in self._layout.variables}
        for name, (_, _, meaning, units) in OF_JOINTS.items():
            found[name] = Variable(name, ("joint",), joints, units, meaning)
        for table in self._layout.tables:
            first = Variable("start", dtype="int64", long_name="first row of the step")
            found |= zip(table.array_names, (first, *table.columns), strict=True)
        return found

    def columns(self, name: str) -> Ints:
        """Return the columns of a variable in a row, in the variable's shape.

        Raises:
            RecordingError: if there is no such variable, or it is a column of a table.
        """
        if not isinstance(name, str) or name not in self.variables:
            hint = nearest(name, self.variables)
            raise RecordingError(f"no variable {name!r} in the recording{hint}")
        if name in OF_JOINTS:
            source, dim, *_ = OF_JOINTS[name]
            entries: tuple[str, ...] = getattr(self._labels, dim)
            at = [entries.index(joint) for joint in self._labels.joint]
            return self._layout.starts[source] + np.array(at, np.int64)
        if name not in self._views:
            raise RecordingError(f"{name!r} has one row per contact, which only sim.signal reads")
        every = np.arange(self._layout.width)
        return every[self._layout.slice_of(name)].reshape(self._views[name].shape)

    def read(self, name: str) -> npt.NDArray[Any]:
        """Return a variable of the last step; see ``Simulator.signal``."""
        if isinstance(name, str) and name in self._views:
            return self._views[name]
        for table in self._layout.tables:
            if name == table.array_names[0]:
                return np.zeros((), np.int64)
            if name in table.array_names:
                return self._table_rows()[name.removeprefix(f"{table.name}_")].copy()
        return self._row[self.columns(name)]
