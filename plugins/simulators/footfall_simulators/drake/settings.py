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
    """``point``: contact at points. ``hydroelastic_with_fallback``: contact over surfaces, if
    ``hydroelastic_modulus`` is above 0."""
    discrete_contact_approximation: Literal["tamsi", "sap", "similar", "lagged"] = "lagged"
    """Approximation of contact within a step. Drake will remove ``tamsi``."""
    penetration_allowance: Positive = 1e-3
    """Approximate depth of the heaviest body at rest, [m]. It determines Drake's stiffnesses."""
    stiction_tolerance: Positive = 1e-4
    """Slip speed from which friction is full, [m/s]."""
    sap_near_rigid_threshold: NonNegative = 1.0
    """Drake's threshold for stiff contacts and limits, [-]; ``tamsi`` ignores it."""
    point_stiffness: Positive | None = None
    """Stiffness of each of two shapes, which act in series, [N/m]; default: Drake's estimate."""
    hunt_crossley_dissipation: NonNegative | None = None
    """Dissipation of each shape, [s/m]; default: Drake's. ``sap`` ignores it."""
    relaxation_time: NonNegative | None = None
    """Relaxation time of each shape, [s]; default: Drake's. Only ``sap`` uses it."""
    hydroelastic_modulus: NonNegative = 0.0
    """Modulus of moving shapes, [Pa]. If it is above 0, fixed shapes are rigid."""
    resolution_hint: Positive = 0.05
    """Edge length of surface meshes of shapes with a modulus, [m]."""
    joint_stiction: Positive = 1e-3
    """Joint speed from which Coulomb friction is full, [rad/s or m/s]. Footfall gives Drake a joint
    damping: friction divided by the initial speed, or by ``joint_stiction`` if that is larger."""

    @property
    def surfaces(self) -> bool:
        """Whether shapes touch in surfaces."""
        return self.contact_model != "point" and self.hydroelastic_modulus > 0.0
