"""``footfall.twin``: comparison of a scene or model file with another simulator or model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import footfall
from footfall.api.plugin import FootfallError, RobotError
from footfall_compare.twin.files import file_side
from footfall_compare.twin.layer import Layer
from footfall_compare.twin.layers import Pair
from footfall_compare.twin.run import Parting, Share, partings, settings, shares
from footfall_compare.twin.scenes import import_side, scene_side
from footfall_compare.twin.side import Side, compare, left_out
from footfall_stepper.api import StepperSimulator, stepped

SIMULATOR = "mujoco"
"""The other simulator."""
UNSEEN = {"visualizer.plugin": "none"}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences of two simulators, scenes or models.

    Attributes:
        name: name of the scene or file.
        other: name of the other simulator, scene or file.
        layers: ordered so that a difference in one causes the next ones.
        partings: first steps with different contacts, forces and accelerations, if both start
            each step in the same state.
        difference: largest difference of positions after independent steps, [rad or m].
        steps: number of these steps.
        shares: remaining parts of the difference after one exchange each.
        note: says what could not be compared, empty if nothing.
    """

    name: str
    other: str
    layers: tuple[Layer, ...]
    partings: tuple[Parting, ...] = ()
    difference: float = 0.0
    steps: int = 0
    shares: tuple[Share, ...] = ()
    note: str = ""

    @property
    def title(self) -> str:
        """Heading of a report: the names of both."""
        here = f"{self.name}: Footfall" if self.other == SIMULATOR else self.name
        return f"{here} (here) and {self.other} (there)"

    @property
    def first(self) -> Layer | None:
        """The first layer that differs, None if all agree."""
        return next((each for each in self.layers if not each.agrees), None)


def twin(
    scene: str | Path,
    other: str | Path = SIMULATOR,
    *,
    steps: int = 200,
    overrides: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compare a scene in Footfall and in MuJoCo, or two scenes or models, layer by layer.

    Args:
        scene: as for ``footfall.load``; or a URDF or MJCF file.
        other: ``mujoco``: the scene runs in that simulator too, and Footfall's import of a file is
            compared with MuJoCo's own; or a second scene or file, compared with the first one by
            the names of joints. MuJoCo reads both files; files that it cannot load, Footfall.
        steps: number of compared steps of scenes.
        overrides: as for ``footfall.load``, for all scenes.

    Raises:
        FootfallError: if one of the simulators cannot load it; names the reason.
    """
    names = [scene] if str(other) == SIMULATOR else [scene, other]
    for name in names:
        if is_model(name) and not Path(name).is_file():
            raise FootfallError(f"{name}: no such file")
        if is_model(name) and overrides:
            raise FootfallError(f"{name}: overrides are for scenes only, this is a model file")
    if len(names) == 2:
        return _of_models([str(name) for name in names], steps, overrides or {})
    if is_model(scene):
        return Comparison(str(scene), SIMULATOR, tuple(import_layers(Path(scene))))
    ours, theirs = (_loaded(scene, overrides or {}, n) for n in ("footfall", SIMULATOR))
    return of_simulators(ours, theirs, steps)


def _loaded(scene: str | Path, overrides: Mapping[str, Any], simulator: str) -> StepperSimulator:
    return stepped(footfall.load(scene, {**overrides, **UNSEEN, "simulator.plugin": simulator}))


def is_model(name: str | Path) -> bool:
    """Return whether a name is that of a model file."""
    return str(name).lower().endswith((".xml", ".urdf"))


def import_layers(path: Path) -> list[Layer]:
    """Compare Footfall's import of a model file with MuJoCo's own, without drives and contacts."""
    ours = import_side(path)
    theirs = replace(file_side(path, floats="vx" in ours.dofs), tables={})
    return [each for each in compare(ours, theirs) if each.name != "order of joints"]


def _of_models(names: Sequence[str], steps: int, overrides: Mapping[str, Any]) -> Comparison:
    """Compare two scenes or files; scenes that agree are run, each on its own."""
    sims = [_loaded(name, overrides, "footfall") for name in names if not is_model(name)]
    scenes = [scene_side(sim) for sim in sims]
    files = [Path(name) for name in names if is_model(name)]
    read, note = _file_sides(files, floats=any("vx" in side.dofs for side in scenes))
    ours, theirs = ((read if is_model(name) else scenes).pop(0) for name in names)
    if only := left_out(ours, theirs):
        note += f"not compared, as they have no entry of it in common: {only}"
    found = Comparison(names[0], names[1], tuple(compare(ours, theirs)), note=note)
    if found.first is not None or files:
        return found
    for sim in sims:
        for _ in range(steps):
            sim.step()
    difference = float(abs(sims[0].q - sims[1].q).max(initial=0.0))
    return replace(found, difference=difference, steps=steps)


def _file_sides(files: Sequence[Path], *, floats: bool) -> tuple[list[Side], str]:
    """Return files as MuJoCo reads them; as Footfall does if MuJoCo cannot load one of them.

    A URDF's base floats if the other one's does.
    """
    try:
        found = [file_side(path) for path in files]
        floats = floats or any("vx" in side.dofs for side in found)
        for k, path in enumerate(files):
            if floats and path.suffix.lower() == ".urdf":
                found[k] = file_side(path, floats=True)
    except RobotError as error:
        note = f"read by Footfall; compared are joints, links and limits of torque only: {error}\n"
        return [import_side(path) for path in files], note
    return found, ""


def of_simulators(ours: StepperSimulator, theirs: StepperSimulator, steps: int) -> Comparison:
    """Compare two simulators of a scene at their start; both are restored afterwards."""
    pair = Pair(stepped(ours), stepped(theirs))
    layers = tuple(pair.layers())
    states = [(sim, sim.state.copy()) for sim in (ours, theirs)]
    parted = tuple(partings(pair, steps))
    for sim, state in states:
        sim.state.restore(state)
    difference, left = shares(pair, steps, settings(pair))
    name = ours.provenance.name
    return Comparison(name, SIMULATOR, layers, parted, difference, steps, tuple(left))
