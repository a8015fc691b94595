"""Controllers of robots: trajectories from files, a trot, and balance on feet."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the controllers ``trajectory``, ``trot`` and ``momentum_balance``."""
    registry.controller.add(
        "trajectory",
        "footfall_controllers.trajectory.controller:Trajectory",
        summary="tracks joint trajectories from a file or recording",
    )
    registry.controller.add(
        "trot",
        "footfall_controllers.trot.controller:Trot",
        summary="four legs trot, on the spot or along",
    )
    registry.controller.add(
        "momentum_balance",
        "footfall_controllers.balance.controller:MomentumBalance",
        summary="balances on feet with a whole-body QP, along a schedule of phases",
    )
