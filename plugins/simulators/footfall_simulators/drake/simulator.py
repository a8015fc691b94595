"""The simulator ``drake``, its rejected keys and its warnings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from footfall.api.contact import BlockKind
from footfall_simulators.drake.settings import DrakeConfig
from footfall_simulators.refusals import (
    GROUND,
    has_heights,
    refuse,
    refused,
    rims_of,
    shapes_of,
    tell,
)
from footfall_stepper.api import Assembly, GuestSimulator

if TYPE_CHECKING:
    from footfall_simulators.drake.steps import DrakeSteps


class Drake(GuestSimulator):
    """Drake computes the steps: a discrete plant with the same bodies, contacts and drives."""

    name = "drake"
    Config = DrakeConfig

    config: DrakeConfig

    def guest(self, made: Assembly) -> DrakeSteps:
        """Translate a scene.

        Raises:
            SceneError: for the first key that Drake's step does not support.
        """
        refuse(made, self.name)
        if has_heights(made):
            takers = ("footfall", "mujoco")
            raise refused(made, self.name, "does not support height fields", GROUND, takers)
        from footfall_simulators.drake.steps import DrakeSteps

        steps = DrakeSteps(made, self.config)
        tell(made, self.name, _told(made, self.config))
        return steps


def _told(made: Assembly, config: DrakeConfig) -> Iterator[str]:
    rows = made.world.joint_rows
    if (rows.kind == BlockKind.BOX).any():
        slow = f"{config.joint_stiction:g} rad/s or m/s (joint_stiction)"
        yield f"joint friction is modelled as damping, and creeps below {slow}"
    if rims := rims_of(made):
        yield f"{rims} rims become flat cylinders, which touch in one point"
    if shapes_of(made) and not config.surfaces:
        yield "two shapes touch in one point; set hydroelastic_modulus for contact surfaces"
    if config.discrete_contact_approximation == "tamsi":
        yield "Drake will remove tamsi: choose another discrete_contact_approximation"
