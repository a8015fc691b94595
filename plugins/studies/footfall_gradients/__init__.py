"""Derivatives of a step through hard contact: ``sim.derivatives()``, ``footfall.derivatives``."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add functions for Python."""
    differences = "Jacobians of the next step by central differences"
    through = "steps, and gradients back through them"
    registry.function.add("Rollout", "footfall_gradients.rollout:Rollout", summary=through)
    registry.function.add(
        "step_differences", "footfall_gradients.differences:step_differences", summary=differences
    )
    registry.function.add(
        "derivatives",
        "footfall_gradients.derivatives:derivatives",
        summary="Jacobians of the last step",
    )
    of = "tangent coordinates of positions"
    for name in ("integrate", "difference", "integrate_jacobians", "difference_jacobians"):
        registry.function.add(name, f"footfall_gradients.manifold:{name}", summary=of)
    model, extra = "footfall_gradients.crocoddyl_model:ActionModel", "crocoddyl"
    of = "steps for the solvers of Crocoddyl"
    registry.function.add("ActionModel", model, summary=of, requires=(extra,), extra=extra)
