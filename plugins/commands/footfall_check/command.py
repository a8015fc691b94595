"""``footfall check``: run the conformance kit on an installed plugin."""

from __future__ import annotations

import sys
import traceback
from typing import Annotated, Any

import typer


def role_named(role: str) -> str:
    """Return the name of a role of today, and say so if it is another one."""
    if role != "backend":
        return role
    told = 'the role "backend" is called "simulator" now; the next version will refuse it'
    print(told, file=sys.stderr)
    return "simulator"


Role = Annotated[
    str, typer.Argument(help="Role of the plugin, e.g. contact or engine.", callback=role_named)
]


def check(
    context: typer.Context,
    role: Role,
    name: Annotated[str, typer.Argument(help="Name of the plugin, as listed by footfall plugins.")],
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting; may be repeated."),
    ] = None,
    solver: Annotated[str, typer.Option(help="QP solver, for plugins that use one.")] = "proxqp",
    scene: Annotated[
        str | None, typer.Option(help="Scene for the checks of a controller, e.g. quadruped/trot.")
    ] = None,
) -> None:
    """Test an installed plugin: its interface and its physics.

    Examples:
        footfall check contact coulomb
        footfall check contact my_law --set stiffness=1e5
    """
    from footfall import discover, progress_lines
    from footfall.testing import check_plugin

    with progress_lines(lambda s: f"checking {role} {name}: {s:.0f} s"):
        report = check_plugin(
            role,
            name,
            registry=discover(),
            config=_settings(set_) if set_ else None,
            solver=solver,
            scene=scene,
        )
    print(report)
    if context.obj is True:  # --traceback
        for result in report.failures:
            if result.finding.error is not None:
                traceback.print_exception(result.finding.error)
    if not report.ok:
        raise typer.Exit(1)


def _settings(assignments: list[str]) -> dict[str, Any]:
    """Return the plugin's settings from the command line, as nested tables."""
    from footfall.api.command import Key, parse_assignments

    tables: dict[str, Any] = {}
    for key, value in parse_assignments(assignments).items():
        *outer, last = map(str, Key.parse(key))
        table = tables
        for part in outer:
            table = table.setdefault(part, {})
        table[last] = value
    return tables
