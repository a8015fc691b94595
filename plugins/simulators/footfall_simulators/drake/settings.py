"""Settings of Drake's discrete step; the defaults are Drake's own."""

from __future__ import annotations

from typing import Literal

from footfall.api.plugin import NonNegative, PluginConfig, Positive


class DrakeConfig(PluginConfig):
    """Drake's settings of the same names in ``MultibodyPlantConfig`` and proximity properties.

    The plant's discrete step is the scene's: ``simulation.time_step`` over
    ``simulation.substeps``.
    """

    contact_model: Literal["point", "hydroelastic_with_fallback"] = "hydroelastic_with_fallback"
    """Contact of two shapes: one point, or a surface if both have ``hydroelastic_modulus``.
    ``hydroelastic`` is left out: declared points have no surface."""
    discrete_contact_approximation: Literal["tamsi", "sap", "similar", "lagged"] = "lagged"
    """Approximation of contact and friction within a step. Drake will remove ``tamsi``."""
    penetration_allowance: Positive = 1e-3
    """Approximate resting depth of the heaviest body, from which Drake sets stiffnesses, [m]."""
    stiction_tolerance: Positive = 1e-4
    """Slip speed at which friction reaches its full value, [m/s]."""
    sap_near_rigid_threshold: NonNegative = 1.0
    """Stiffness threshold of contacts and limits, for ``sap``, ``similar`` and ``lagged``, [-]."""
    point_stiffness: Positive | None = None
    """Stiffness of each side of a contact point (two in series), [N/m]; by default Drake's
    estimate."""
    hunt_crossley_dissipation: NonNegative | None = None
    """Dissipation of each shape, for ``tamsi``, ``similar`` and ``lagged``, [s/m]; by default
    Drake's."""
    relaxation_time: NonNegative | None = None
    """Relaxation time of each shape, for ``sap``, [s]; by default Drake's."""
    hydroelastic_modulus: NonNegative = 0.0
    """Modulus of shapes on bodies, which then touch in surfaces, [Pa]; fixed shapes are rigid. With
    0, Drake's default, two shapes touch in one point."""
    resolution_hint: Positive = 0.05
    """Edge length of the mesh on the surfaces of such shapes, [m]."""
    joint_stiction: Positive = 1e-3
    """Joint speed at which Coulomb friction reaches its full value, [rad/s or m/s]. Drake has no
    such friction: it becomes a damping that fits the speed at the start of the step."""

    @property
    def surfaces(self) -> bool:
        """Whether shapes touch in surfaces."""
        return self.contact_model != "point" and self.hydroelastic_modulus > 0.0
