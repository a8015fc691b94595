"""``footfall check``: put an installed plugin through the conformance kit."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from footfall.interfaces.plugin import Plugin, PluginConfig
    from footfall.registry.registry import Registry


def check(
    context: typer.Context,
    role: Annotated[str, typer.Argument(help="The plugin's role, e.g. contact.")],
    name: Annotated[str, typer.Argument(help="Name of the plugin (footfall plugins).")],
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated."),
    ] = None,
    solver: Annotated[
        str, typer.Option(help="QP solver for plugins that are made with one.")
    ] = "proxqp",
    scene: Annotated[
        str | None, typer.Option(help="Scene to look at a controller on, e.g. quadruped/trot.")
    ] = None,
) -> None:
    """Check that an installed plugin keeps its role's contract, physics included."""
    from footfall.registry.discover import discover
    from footfall.testing import check_plugin, checks

    checks(role)  # no settings can be given to what has none
    registry = discover()
    config = _config(role, name, set_, registry) if set_ else None
    report = check_plugin(role, name, registry=registry, config=config, solver=solver, scene=scene)
    print(report)
    if context.obj is True:  # --traceback
        for result in report.failures:
            if result.finding.error is not None:
                traceback.print_exception(result.finding.error)
    if not report.ok:
        raise typer.Exit(1)


def _config(role: str, name: str, assignments: list[str], registry: Registry) -> PluginConfig:
    """Return the plugin's settings as changed by the command line."""
    from footfall.config.toml import TomlFile
    from footfall.config.validate import validate
    from footfall.scene.overrides import apply_overrides, parse_assignments

    toml, _ = apply_overrides(TomlFile("", {}, {}), parse_assignments(assignments))
    cls: type[Plugin] = registry.find(role, name).load()
    return validate(cls.Config, toml.data, file=None, lines=toml.lines)
