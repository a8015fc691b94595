"""Standard implementations of every installation: integrators, plane, controllers, null models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.backend import Backend
    from footfall.api.contact import ImpactModel
    from footfall.api.controller import Controller
    from footfall.api.integrator import Integrator
    from footfall.api.interaction import InputDevice
    from footfall.api.plugin import Registry
    from footfall.api.terrain import Terrain
    from footfall.api.visualizer import Visualizer


def _footfall() -> type[Backend]:
    from footfall_standard.backend import Footfall

    return Footfall


def _semi_implicit_euler() -> type[Integrator]:
    from footfall_standard.integrator import SemiImplicitEuler

    return SemiImplicitEuler


def _explicit_euler() -> type[Integrator]:
    from footfall_standard.integrator import ExplicitEuler

    return ExplicitEuler


def _moreau_midpoint() -> type[Integrator]:
    from footfall_standard.integrator import MoreauMidpoint

    return MoreauMidpoint


def _plane() -> type[Terrain]:
    from footfall_standard.terrain import Plane

    return Plane


def _zero() -> type[Controller]:
    from footfall_standard.controller import Zero

    return Zero


def _posture() -> type[Controller]:
    from footfall_standard.controller import Posture

    return Posture


def _function() -> type[Controller]:
    from footfall_standard.controller import Function

    return Function


def _torque_table() -> type[Controller]:
    from footfall_standard.torque_table import TorqueTable

    return TorqueTable


def _no_impact() -> type[ImpactModel]:
    from footfall_standard.impact import NoImpact

    return NoImpact


def _no_visualizer() -> type[Visualizer]:
    from footfall_standard.visualizer import NoVisualizer

    return NoVisualizer


def _mouse() -> type[InputDevice]:
    from footfall_standard.input_device import Mouse

    return Mouse


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the plain integrators, terrain, controllers, and the null models."""
    registry.backend.add(
        "footfall", _footfall, summary="the scene's own engine, law and integrator"
    )
    registry.integrator.add(
        "semi_implicit_euler", _semi_implicit_euler, summary="positions follow the new velocity"
    )
    registry.integrator.add(
        "explicit_euler", _explicit_euler, summary="positions follow the old velocity (the seed's)"
    )
    registry.integrator.add(
        "moreau_midpoint", _moreau_midpoint, summary="second order: forces of half a step ahead"
    )
    registry.terrain.add("plane", _plane, summary="a plane of any tilt")
    registry.controller.add("zero", _zero, summary="no torque")
    registry.controller.add("posture", _posture, summary="holds the starting posture by PD gains")
    registry.controller.add("function", _function, summary="any callable, named module:function")
    registry.controller.add("torque_table", _torque_table, summary="joint torques from a file")
    registry.impact.add("none", _no_impact, summary="impacts are left to the contact law")
    registry.visualizer.add("none", _no_visualizer, summary="nothing is shown")
    registry.input_device.add("mouse", _mouse, summary="the hand of a viewer's user")
