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


def _triangles() -> Callable[..., Any]:
    from footfall_watch.start_check import tell_of_triangles

    return tell_of_triangles


def _falling() -> Callable[..., Any]:
    from footfall_watch.ground_touch import tell_of_falling

    return tell_of_falling


def _units() -> Callable[..., Any]:
    from footfall_watch.units import tell_of_units

    return tell_of_units


def _sunk_links() -> Callable[..., Any]:
    from footfall_watch.ground_touch import SunkLinks

    return SunkLinks


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
    "moments": ("check_moments", "torsional and rolling friction that would not act"),
    "effects": ("check_effects", "controllers without joints, objects that nothing can touch"),
    "accelerations": ("check_accelerations", "laws of accelerations on curved surfaces"),
    "continuous_time": ("check_continuous_time", "what integrators of continuous time cannot do"),
    "scheme": ("check_scheme", "explicit positions beside laws that need the new velocity"),
    "delassus": ("check_delassus", "methods that do not know all of a contact problem"),
    "impact_order": ("check_order", "impacts after forces of the middle of a step"),
}


def _certificates() -> Callable[..., Any]:
    from footfall_watch.certificates import Certificates

    return Certificates


def _certificate_summary() -> Callable[..., Any]:
    from footfall_watch.certificates import Summary

    return Summary


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the checks of scenes and of their start, and the watch on runs."""
    for name, (check, summary) in SCENE_CHECKS.items():
        registry.scene_check.add(name, _of_scenes(check), summary=summary)
    registry.start_check.add(
        "deep_starts", _deep_starts, summary="bodies that start inside each other or the ground"
    )
    registry.start_check.add(
        "stable_step", _stable_step, summary="the longest stable step of laws that give way"
    )
    registry.start_check.add(
        "triangles", _triangles, summary="bodies that touch each other with triangles"
    )
    registry.start_check.add(
        "falling", _falling, summary="bodies that fall, of which nothing can touch the ground"
    )
    registry.start_check.add(
        "units", _units, summary="angles and lengths in other units, gravity that points up"
    )
    registry.watch.add(
        "alarms", _watch, summary="energy from nothing, no answers, bodies that pass through"
    )
    registry.watch.add(
        "surprises", _surprises, summary="what the chosen laws declare to miss and a run has met"
    )
    registry.watch.add(
        "sunk_links", _sunk_links, summary="links that go through the ground: only points touch it"
    )
    registry.certificate.add(
        "margins", _certificates, summary="margins of contacts, ranks, errors of steps by halving"
    )
    registry.watch.add(
        "certificates", _certificate_summary, summary="the certificates of a run in a line"
    )
