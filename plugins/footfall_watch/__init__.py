"""Checks of scenes and watches on runs, which report problems."""

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
    "contacts": ("check_contacts", "features that the ground cannot touch, unknown contacts"),
    "moments": ("check_moments", "torsional and rolling friction without effect"),
    "effects": ("check_effects", "controllers without joints, objects that nothing can touch"),
    "accelerations": ("check_accelerations", "acceleration-level laws on curved surfaces"),
    "continuous_time": ("check_continuous_time", "features that continuous-time integrators lack"),
    "scheme": ("check_scheme", "explicit positions with laws that need the new velocity"),
    "delassus": ("check_delassus", "Delassus methods that do not cover the scene"),
    "impact_order": ("check_order", "impacts after forces at the middle of a step"),
}


def _certificates() -> Callable[..., Any]:
    from footfall_watch.certificates import Certificates

    return Certificates


def _certificate_summary() -> Callable[..., Any]:
    from footfall_watch.certificates import Summary

    return Summary


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the checks of scenes and starts, and the watches on runs."""
    for name, (check, summary) in SCENE_CHECKS.items():
        registry.scene_check.add(name, _of_scenes(check), summary=summary)
    registry.start_check.add(
        "deep_starts", _deep_starts, summary="bodies that start inside each other or the ground"
    )
    registry.start_check.add(
        "stable_step", _stable_step, summary="the longest stable step of compliant laws"
    )
    registry.start_check.add(
        "triangles", _triangles, summary="bodies that touch each other with triangle meshes"
    )
    registry.start_check.add(
        "falling", _falling, summary="bodies that fall and cannot touch the ground"
    )
    registry.start_check.add(
        "units", _units, summary="angles and lengths in other units, gravity that points up"
    )
    registry.watch.add(
        "alarms", _watch, summary="energy from nothing, unsolved contacts, bodies passing through"
    )
    registry.watch.add(
        "surprises", _surprises, summary="declared errors of laws that a run has met"
    )
    registry.watch.add(
        "sunk_links", _sunk_links, summary="links below the ground, which only points touch"
    )
    registry.certificate.add(
        "margins", _certificates, summary="margins of contacts, ranks, step errors by halving"
    )
    registry.watch.add(
        "certificates", _certificate_summary, summary="the certificates of a run in a line"
    )
