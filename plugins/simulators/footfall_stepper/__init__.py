"""The default simulator: compiled time stepping and continuous time."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the simulator ``footfall``, and the classes that its users name."""
    registry.simulator.add(
        "footfall",
        "footfall_stepper.plugin:Footfall",
        summary="the scene's own engine, laws and integrator make the steps (default)",
    )
    for name, place, summary in (
        ("Assembly", "assembly.assemble", "the parts that a simulator is made of, for checks"),
        ("Body", "world.body", "a robot or an object of a world"),
        (
            "distance",
            "collision.distances",
            "signed distance of two shapes, with nearest points",
        ),
        ("Run", "simulation.run", "one run of a simulator: steps, records, shows"),
        ("State", "world.state", "everything that survives a restore, in one vector"),
    ):
        registry.function.add(name, f"footfall_stepper.{place}:{name}", summary=summary)
