"""What looks at scenes and runs, and says what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry


def _deep_starts() -> Callable[..., Any]:
    from footfall_watch.deep_starts import tell_deep_starts

    return tell_deep_starts


def _stable_step() -> Callable[..., Any]:
    from footfall_watch.start_check import check_step

    return check_step


def _impact_order() -> Callable[..., Any]:
    from footfall_watch.start_check import check_order

    return check_order


def _watch() -> Callable[..., Any]:
    from footfall_watch.watch import Watch

    return Watch


def _surprises() -> Callable[..., Any]:
    from footfall_watch.surprises import Surprises

    return Surprises


def _of_scenes(name: str) -> Callable[[], Callable[..., Any]]:
    def load() -> Callable[..., Any]:
        from footfall_watch import scene_checks

        check: Callable[..., Any] = getattr(scene_checks, name)
        return check

    return load


SCENE_CHECKS = {
    "contacts": ("check_contacts", "features the ground cannot meet, contacts that do not exist"),
    "friction": ("check_friction", "contacts for which nothing gives a coefficient of friction"),
    "moments": ("check_moments", "torsional and rolling friction that would not act"),
    "effects": ("check_effects", "controllers without joints, objects that nothing can touch"),
    "accelerations": ("check_accelerations", "laws of accelerations on curved surfaces"),
    "continuous_time": ("check_continuous_time", "what integrators of continuous time cannot do"),
    "scheme": ("check_scheme", "explicit positions beside laws that need the new velocity"),
    "delassus": ("check_delassus", "methods that do not know all of a contact problem"),
    "triangles": ("tell_of_triangles", "bodies that touch each other with triangles"),
}


def _certificates() -> Callable[..., Any]:
    from footfall_watch.certificates import Certificates

    return Certificates


def _certificate_summary() -> Callable[..., Any]:
    from footfall_watch.certificates import Summary

    return Summary


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the checks of a scene's start and the watch on runs."""
    for name, (check, summary) in SCENE_CHECKS.items():
        registry.start_check.add(name, _of_scenes(check), summary=summary)
    registry.start_check.add(
        "deep_starts", _deep_starts, summary="bodies that start inside each other or the ground"
    )
    registry.start_check.add(
        "stable_step", _stable_step, summary="the longest stable step of laws that give way"
    )
    registry.start_check.add(
        "impact_order", _impact_order, summary="impacts after forces of the middle of a step"
    )
    registry.watch.add(
        "alarms", _watch, summary="energy from nothing, no answers, bodies that pass through"
    )
    registry.watch.add(
        "surprises", _surprises, summary="what the chosen laws declare to miss and a run has met"
    )
    registry.certificate.add(
        "margins", _certificates, summary="margins of contacts, ranks, errors of steps by halving"
    )
    registry.watch.add(
        "certificates", _certificate_summary, summary="the certificates of a run in a line"
    )
