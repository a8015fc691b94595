"""The row recorded in each step, and the labels along its dimensions."""

from __future__ import annotations

from dataclasses import replace

from footfall.interfaces.contact import ContactModel
from footfall.recording.layout import Layout, RaggedTable
from footfall.recording.variables import Column, Labels, standard_coords, standard_layout
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
