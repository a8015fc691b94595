"""The simulator ``drake``, and what of a scene it refuses or tells of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from footfall.api.contact import BlockKind
from footfall.api.plugin import PluginConfig
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
    """Drake makes the steps."""

    name = "drake"
    Config = DrakeConfig

    config: DrakeConfig

    def __init__(self, config: PluginConfig) -> None:
        assert isinstance(config, DrakeConfig)
        super().__init__(config)

    def guest(self, made: Assembly) -> DrakeSteps:
        """Translate a scene.

        Raises:
            SceneError: for what Drake's step has no place for, by its key.
        """
        refuse(made, self.name)
        if has_heights(made):
            takers = ("footfall", "mujoco")
            raise refused(made, self.name, "takes no field of heights", GROUND, takers)
        from footfall_simulators.drake.steps import DrakeSteps

        steps = DrakeSteps(made, self.config)
        tell(made, self.name, _told(made, self.config))
        return steps


def _told(made: Assembly, config: DrakeConfig) -> Iterator[str]:
    rows = made.world.joint_rows
    if (rows.kind == BlockKind.BOX).any():
        slow = f"{config.joint_stiction:g} rad/s or m/s (joint_stiction)"
        yield f"friction of joints is a damping, and creeps below {slow}"
    if rims := rims_of(made):
        yield f"{rims} rims are flat cylinders, which touch in one point"
    if shapes_of(made) and not config.surfaces:
        yield "two shapes touch in one point; hydroelastic_modulus makes it a surface"
    if config.discrete_contact_approximation == "tamsi":
        yield "Drake is about to remove tamsi"
