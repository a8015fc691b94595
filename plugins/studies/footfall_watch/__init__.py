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
START_CHECKS = {
    "deep_starts": (
        "deep_starts:tell_deep_starts",
        "bodies that start inside each other or the ground",
    ),
    "stable_step": ("start_check:check_step", "the longest stable step of compliant laws"),
    "triangles": (
        "start_check:tell_of_triangles",
        "bodies that touch each other with triangle meshes",
    ),
    "falling": ("ground_touch:tell_of_falling", "bodies that fall and cannot touch the ground"),
    "units": ("units:tell_of_units", "angles and lengths in other units, gravity that points up"),
}
WATCHES = {
    "alarms": ("watch:Watch", "energy from nothing, unsolved contacts, bodies passing through"),
    "surprises": ("surprises:Surprises", "declared errors of laws that a run has met"),
    "sunk_links": ("ground_touch:SunkLinks", "links below the ground, which only points touch"),
    "certificates": ("certificates:Summary", "the certificates of a run in a line"),
}


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the checks of scenes and starts, and the watches on runs."""
    for name, (check, summary) in SCENE_CHECKS.items():
        registry.scene_check.add(name, f"footfall_watch.scene_checks:{check}", summary=summary)
    for name, (place, summary) in START_CHECKS.items():
        registry.start_check.add(name, f"footfall_watch.{place}", summary=summary)
    for name, (place, summary) in WATCHES.items():
        registry.watch.add(name, f"footfall_watch.{place}", summary=summary)
    registry.certificate.add(
        "margins",
        "footfall_watch.certificates:Certificates",
        summary="margins of contacts, uniqueness of motion, step errors by halving",
    )
