"""Standard implementations of every installation: integrators, plane, controllers, null models."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the plain integrators, terrain, controllers, and the null models."""
    registry.integrator.add(
        "semi_implicit_euler",
        "footfall_standard.integrator:SemiImplicitEuler",
        summary="positions follow the new velocity",
    )
    registry.integrator.add(
        "explicit_euler",
        "footfall_standard.integrator:ExplicitEuler",
        summary="positions follow the old velocity",
    )
    registry.integrator.add(
        "moreau_midpoint",
        "footfall_standard.integrator:MoreauMidpoint",
        summary="second order: forces of half a step ahead",
    )
    registry.terrain.add("plane", "footfall_standard.terrain:Plane", summary="a plane of any tilt")
    registry.controller.add("zero", "footfall_standard.controller:Zero", summary="no torque")
    registry.controller.add(
        "posture",
        "footfall_standard.controller:Posture",
        summary="holds the starting posture by PD gains",
    )
    registry.controller.add(
        "function",
        "footfall_standard.controller:Function",
        summary="any callable, named module:function",
    )
    registry.controller.add(
        "torque_table",
        "footfall_standard.torque_table:TorqueTable",
        summary="joint torques from a file",
    )
    registry.function.add(
        "Command", "footfall_standard.controller:GainCommand", summary="targets with gains"
    )
    registry.impact.add(
        "none", "footfall_standard.impact:NoImpact", summary="impacts are left to the contact law"
    )
    registry.impact.add(
        "dissipative",
        "footfall_standard.impact:Dissipative",
        summary="the contact law's impacts, restitution cut to add no energy",
    )
    registry.visualizer.add(
        "none", "footfall_standard.visualizer:NoVisualizer", summary="nothing is shown"
    )
    registry.input_device.add(
        "mouse", "footfall_standard.input_device:Mouse", summary="the hand of a viewer's user"
    )
