"""``footfall twin``: find the differences of a scene or model file in another simulator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from footfall.api.command import Changes, SceneName

if TYPE_CHECKING:
    from footfall_compare.twin.twin import Comparison

Other = Annotated[str | None, typer.Argument(metavar="[OTHER]", help="The other scene or file.")]
With = Annotated[str, typer.Option("--with", metavar="NAME", help="The other simulator.")]
Steps = Annotated[int, typer.Option(min=1, max=100_000, help="Number of compared steps.")]


Page = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Also write the report as a page.")
]


def twin(
    scene: SceneName,
    other: Other = None,
    with_: With = "mujoco",
    steps: Steps = 200,
    set_: Changes = None,
    html: Page = None,
) -> None:
    """Find the first difference between two simulators, scenes or model files.

    If you give one URDF or MJCF file, both simulators import it, and the results are compared.

    Examples:
        footfall twin humanoid/standing --with mujoco
        footfall twin my_robot.urdf my_robot.xml
    """
    from footfall import progress_lines
    from footfall.api.command import parse_assignments
    from footfall.api.plugin import FootfallError, PluginError, error_line

    if html is not None and not html.parent.is_dir():
        raise FootfallError(f"{html} cannot be written: there is no folder {html.parent}")
    try:
        import mujoco  # noqa: F401
    except ImportError as error:
        told = f"twin needs MuJoCo: {PluginError.pip('mujoco')}"
        raise PluginError(told) from error
    if with_ != "mujoco":
        raise FootfallError(f'twin: the other simulator must be "mujoco", got {with_!r}')
    from footfall_compare.twin.twin import twin as compare

    with progress_lines(lambda s: f"twin: {s:.0f} s"):
        found = compare(
            scene, other or with_, steps=steps, overrides=parse_assignments(set_ or [], {})
        )
    print(text(found))
    if html is not None:
        from footfall_compare.twin.page import write_page

        try:
            write_page(found, html)
        except OSError as error:
            raise FootfallError(f"{html}: {error_line(error)}") from error
        print(f"page written to {html}")


def text(found: Comparison) -> str:
    """Return the table of a comparison."""
    width = max(len(each.name) for each in found.layers)
    lines = [found.title, *found.note.splitlines()]
    for each in found.layers:
        verdict = "same" if each.agrees else "differs"
        where = "" if each.agrees else f"  {each.where}"
        off = f"{each.difference:9.1e} {each.units:<10}"
        lines.append(f"  {each.name:<{width}}  {off}{verdict}{where}")
    first = found.first
    same = "all compared layers agree" if found.note else "all layers agree"
    lines.append(f"first that differs: {first.name}" if first else same)
    for parting in found.partings:
        when = f"step {parting.step}: {parting.where}" if parting.step >= 0 else "none"
        lines.append(f"  first step with different {parting.what}: {when}")
    if found.steps:
        apart = f"difference after {found.steps} independent steps: {found.difference:.3g} rad or m"
        lines.append(apart + ("; of this remains with" if found.shares else ""))
        lines += [f"  {100.0 * each.left:6.1f} %  {each.what}" for each in found.shares]
    return "\n".join(lines)
