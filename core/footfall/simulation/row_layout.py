"""The row that a simulation records each step, and the names along its dimensions."""

from __future__ import annotations

from dataclasses import replace

from footfall.devices.pushes import Pushes
from footfall.devices.sensors import sensor_variables
from footfall.interfaces.contact import ContactModel
from footfall.recording.layout import Layout, RaggedTable
from footfall.recording.variables import Labels, standard_layout
from footfall.simulation.composition import Company
from footfall.simulation.labels import labels
from footfall.stepping.law_record import law_variables
from footfall.world.world import World
from footfall_hands.hand_plan import hand_labels, hand_variables


def row_layout(
    world: World,
    law: ContactModel,
    company: Company,
    pushes: Pushes,
    tables: tuple[RaggedTable, ...],
) -> tuple[Labels, Layout]:
    """Return labels and layout: what every run has, then what this one's company adds.

    Args:
        world: the bodies.
        law: of contact.
        company: sensors, signals and hands.
        pushes: of the scene.
        tables: ragged ones, beside the row.
    """
    measured = sensor_variables(company.sensors)
    more = {dim: signal.components for dim, _, signal in measured}
    for one in company.signals:
        more |= one.labels
    named = replace(labels(world, pushes), more=more | hand_labels(company.hands))
    links = [f"{body.name}/{link}" for body in world.bodies for link in body.model.link_names]
    variables = (
        *law_variables(law, world.n_contacts),
        *(variable for _, variable, _ in measured),
        *(one.variable for one in company.signals),
        *hand_variables(company.hands, links),
    )
    return named, standard_layout(named, tables, variables)
