"""Checks of scenes and runs that report faults and surprises."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl

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


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the checks of scenes and starts, and the watches on runs."""
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
        summary="the longest stable step of compliant laws",
    )
    registry.start_check.add(
        "triangles",
        "footfall_watch.start_check:tell_of_triangles",
        summary="bodies that touch each other with triangle meshes",
    )
    registry.start_check.add(
        "falling",
        "footfall_watch.ground_touch:tell_of_falling",
        summary="bodies that fall and cannot touch the ground",
    )
    registry.start_check.add(
        "units",
        "footfall_watch.units:tell_of_units",
        summary="angles and lengths in other units, gravity that points up",
    )
    registry.watch.add(
        "alarms",
        "footfall_watch.watch:Watch",
        summary="energy from nothing, unsolved contacts, bodies passing through",
    )
    registry.watch.add(
        "surprises",
        "footfall_watch.surprises:Surprises",
        summary="declared errors of laws that a run has met",
    )
    registry.watch.add(
        "sunk_links",
        "footfall_watch.ground_touch:SunkLinks",
        summary="links below the ground, which only points touch",
    )
    registry.certificate.add(
        "margins",
        "footfall_watch.certificates:Certificates",
        summary="margins of contacts, ranks, step errors by halving",
    )
    registry.watch.add(
        "certificates",
        "footfall_watch.certificates:Summary",
        summary="the certificates of a run in a line",
    )
