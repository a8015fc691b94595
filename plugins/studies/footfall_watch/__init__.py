"""Checks of scenes and runs that report faults and surprises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from footfall.api.plugin import Registry

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


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the checks of scenes and of their start, and the watch on runs."""
    for name, (check, summary) in SCENE_CHECKS.items():
        registry.scene_check.add(name, f"footfall_watch.scene_checks:{check}", summary=summary)
    registry.start_check.add(
        "deep_starts",
        "footfall_watch.deep_starts:tell_deep_starts",
        summary="bodies that start inside each other or the ground",
    )
    registry.start_check.add(
        "stable_step",
        "footfall_watch.start_check:check_step",
        summary="the longest stable step of laws that give way",
    )
    registry.start_check.add(
        "triangles",
        "footfall_watch.start_check:tell_of_triangles",
        summary="bodies that touch each other with triangles",
    )
    registry.start_check.add(
        "falling",
        "footfall_watch.ground_touch:tell_of_falling",
        summary="bodies that fall, of which nothing can touch the ground",
    )
    registry.start_check.add(
        "units",
        "footfall_watch.units:tell_of_units",
        summary="angles and lengths in other units, gravity that points up",
    )
    registry.watch.add(
        "alarms",
        "footfall_watch.watch:Watch",
        summary="energy from nothing, no answers, bodies that pass through",
    )
    registry.watch.add(
        "surprises",
        "footfall_watch.surprises:Surprises",
        summary="what the chosen laws declare to miss and a run has met",
    )
    registry.watch.add(
        "sunk_links",
        "footfall_watch.ground_touch:SunkLinks",
        summary="links that go through the ground: only points touch it",
    )
    registry.certificate.add(
        "margins",
        "footfall_watch.certificates:Certificates",
        summary="margins of contacts, ranks, errors of steps by halving",
    )
    registry.watch.add(
        "certificates",
        "footfall_watch.certificates:Summary",
        summary="the certificates of a run in a line",
    )
