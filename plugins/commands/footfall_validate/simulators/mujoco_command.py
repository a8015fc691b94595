"""The command ``footfall validate mujoco``: MuJoCo compared with its law in Footfall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

if TYPE_CHECKING:
    from footfall import Simulator

SCENES = {
    "cube/sliding": 1.0,
    "cube/drop": 1.0,
    "box/slope": 0.5,
    "humanoid/standing": 1.0,
    "quadruped/pushed": 2.0,
}
"""Scenes with their durations, [s]."""
MUJOCO = {"simulator.plugin": "mujoco", "simulator.cone": "elliptic"}
HEADER = (
    *("scene", "time [s]", "coulomb: largest [mm]", "last [mm]", "mujoco_soft: largest [mm]"),
    *("last [mm]", "natural map [m/s] in MuJoCo", "with mujoco_soft", "with coulomb"),
)


@dataclass(frozen=True, slots=True)
class Apart:
    """Distances of one scene's runs from MuJoCo's.

    Attributes:
        scene: name of the scene.
        time: duration of the run, [s].
        most: largest distance of a base's coordinate, by law, [m].
        end: that distance at the end.
        natural_map: largest of the run, by law and for MuJoCo, [m/s].
    """

    scene: str
    time: float
    most: dict[str, float]
    end: dict[str, float]
    natural_map: dict[str, float]


def mujoco(
    scene: Annotated[
        list[str] | None,
        typer.Option(metavar="SCENE", help="Scene; may be repeated; default: five bundled scenes."),
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Folder for a page with the results.")] = None,
) -> None:
    """Compare motions in MuJoCo with Footfall's, under the laws `coulomb` and `mujoco_soft`.

    Examples:
        footfall validate mujoco --scene cube/sliding
        footfall validate mujoco --output results
    """
    from footfall import discover
    from footfall_validate.options import counted, print_columns

    discover().find("simulator", "mujoco").load()  # raises if it is not installed
    found = []
    with counted(len(scene or SCENES), "scenes") as done:
        for name in scene or SCENES:
            found.append(compare_with_mujoco(name, SCENES.get(name, 1.0)))
            done()
    rows = [cells(apart) for apart in found]
    print_columns(HEADER, rows)
    if output:
        print(f"page written to {write_mujoco_page(output, found)}")


def compare_with_mujoco(scene: str, duration: float) -> Apart:
    """Run a scene in MuJoCo and with both laws.

    Args:
        scene: name of a scene with bodies on the ground.
        duration: simulated time, [s].

    Raises:
        FootfallError: if one of the three rejects the scene.
    """
    from footfall import load

    soft: dict[str, Any] = {"contact.plugin": "mujoco_soft"}
    soft["contact.inverse_weights"] = _inverse_weights(load(scene, soft))
    variants = {"mujoco": MUJOCO, "coulomb": {"contact.plugin": "coulomb"}, "mujoco_soft": soft}
    runs = {name: load(scene, given).run(duration) for name, given in variants.items()}
    right = _places(runs["mujoco"])
    away = {
        name: np.abs(_places(runs[name]) - right).max(axis=1) for name in ("coulomb", "mujoco_soft")
    }
    return Apart(
        scene,
        duration,
        {name: float(values.max()) for name, values in away.items()},
        {name: float(values[-1]) for name, values in away.items()},
        {name: float(run.residual_natural_map.max()) for name, run in runs.items()},
    )


def _inverse_weights(sim: Simulator) -> dict[str, float]:
    from footfall import discover

    found: dict[str, float] = discover().find("function", "inverse_weights").load()(sim)
    return found


def _places(run: Any) -> Any:
    positions = run.base_position.values
    return positions.reshape(len(positions), -1)


def cells(apart: Apart) -> tuple[str, ...]:
    """Return a row of the table."""
    figures = [
        f"{1e3 * values[law]:.2g}"
        for law in ("coulomb", "mujoco_soft")
        for values in (apart.most, apart.end)
    ]
    maps = [f"{apart.natural_map[name]:.1g}" for name in ("mujoco", "mujoco_soft", "coulomb")]
    return (apart.scene, f"{apart.time:g}", *figures, *maps)


def write_mujoco_page(folder: Path, found: Sequence[Apart]) -> Path:
    """Write ``mujoco.md`` to a folder; return the page."""
    from footfall_validate.circumstances import table, write_page

    rows = [[f"`{row[0]}`", *row[1:]] for row in map(cells, found)]
    return write_page(folder, "mujoco", "mujoco-core", rows=table(HEADER, rows))
