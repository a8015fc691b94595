"""Settings of Drake's discrete step; the defaults are Drake's own."""

from __future__ import annotations

from typing import Literal

from footfall.api.config import NonNegative, Positive
from footfall.api.plugin import PluginConfig


class DrakeConfig(PluginConfig):
    """What Drake calls by the same names in ``MultibodyPlantConfig`` and in proximity properties.

    The plant's discrete step is the scene's: ``simulation.time_step`` over
    ``simulation.substeps``.
    """

    contact_model: Literal["point", "hydroelastic_with_fallback"] = "hydroelastic_with_fallback"
    """One point for two shapes, or a surface where both have ``hydroelastic_modulus``.
    ``hydroelastic`` is left out: declared points have no surface."""
    discrete_contact_approximation: Literal["tamsi", "sap", "similar", "lagged"] = "lagged"
    """Of contact and friction within a step. Drake is about to remove ``tamsi``."""
    penetration_allowance: Positive = 1e-3
    """How deep, about, the heaviest body may rest, of which Drake finds stiffnesses, [m]."""
    stiction_tolerance: Positive = 1e-4
    """Speed of slip at which friction is fully there, [m/s]."""
    sap_near_rigid_threshold: NonNegative = 1.0
    """Of ``sap``, ``similar`` and ``lagged``: how stiff contacts and limits may be, [-]."""
    point_stiffness: Positive | None = None
    """Of each side of a contact point, two being in series, [N/m]; otherwise Drake's estimate."""
    hunt_crossley_dissipation: NonNegative | None = None
    """Of each shape, for ``tamsi``, ``similar`` and ``lagged``, [s/m]; otherwise Drake's."""
    relaxation_time: NonNegative | None = None
    """Of each shape, for ``sap``, [s]; otherwise Drake's."""
    hydroelastic_modulus: NonNegative = 0.0
    """Of shapes on bodies, which then touch in surfaces, [Pa]; what is fixed is rigid. 0, as in
    Drake: they touch in points, one for two shapes."""
    resolution_hint: Positive = 0.05
    """Length of the edges into which surfaces of such shapes are divided, [m]."""
    joint_stiction: Positive = 1e-3
    """Speed of a joint at which its Coulomb friction is fully there, [rad/s or m/s]. Drake has no
    such friction: it is a damping, of the size that the step's first speed asks for."""

    @property
    def surfaces(self) -> bool:
        """Whether shapes touch in surfaces."""
        return self.contact_model != "point" and self.hydroelastic_modulus > 0.0
