"""``footfall.twin``: comparison of a scene or model file with another simulator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import footfall
from footfall.api.plugin import FootfallError
from footfall_compare.twin.layer import Layer
from footfall_compare.twin.layers import Pair
from footfall_compare.twin.run import Parting, Share, partings, settings, shares
from footfall_stepper.api import StepperSimulator, stepped

UNSEEN = {"visualizer.plugin": "none"}
MODELS = (".xml", ".urdf")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences of two simulators.

    Attributes:
        name: name of the scene or file.
        other: name of the other simulator.
        layers: ordered so that a difference in one causes the next ones.
        partings: first steps with different contacts, forces and accelerations, if both start
            each step in the same state.
        difference: largest difference of positions after independent steps, [rad or m].
        steps: number of these steps.
        shares: remaining parts of the difference after one exchange each.
    """

    name: str
    other: str
    layers: tuple[Layer, ...]
    partings: tuple[Parting, ...] = ()
    difference: float = 0.0
    steps: int = 0
    shares: tuple[Share, ...] = field(default=())

    @property
    def first(self) -> Layer | None:
        """The first layer that differs, None if all agree."""
        return next((each for each in self.layers if not each.agrees), None)


def twin(
    scene: str | Path,
    other: str = "mujoco",
    *,
    steps: int = 200,
    overrides: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compare a scene in Footfall and in another simulator, layer by layer.

    Args:
        scene: as for ``footfall.load``; or a URDF or MJCF file: Footfall's import is compared with
            the other simulator's own.
        other: name of a simulator; only ``mujoco`` is supported.
        steps: number of compared steps.
        overrides: as for ``footfall.load``.

    Raises:
        FootfallError: if one of the simulators cannot load it; names the reason.
    """
    if other != "mujoco":
        raise FootfallError(f'twin: the other simulator must be "mujoco", got {other!r}')
    if str(scene).lower().endswith(MODELS):
        from footfall_compare.twin.files import file_layers

        if not Path(scene).is_file():
            raise FootfallError(f"{scene}: no such file")
        if overrides:
            raise FootfallError(f"{scene}: overrides are for scenes only, this is a model file")
        return Comparison(str(scene), other, tuple(file_layers(Path(scene))))
    given = {**(overrides or {}), **UNSEEN}
    ours, theirs = (
        stepped(footfall.load(scene, given | {"simulator.plugin": n})) for n in ("footfall", other)
    )
    return of_simulators(ours, theirs, steps)


def of_simulators(ours: StepperSimulator, theirs: StepperSimulator, steps: int) -> Comparison:
    """Compare two simulators of a scene at their start; both are restored afterwards."""
    pair = Pair(stepped(ours), stepped(theirs))
    layers = tuple(pair.layers())
    states = [(sim, sim.state.copy()) for sim in (ours, theirs)]
    parted = tuple(partings(pair, steps))
    for sim, state in states:
        sim.state.restore(state)
    differing = {each.name for each in layers if not each.agrees}
    exchanged = {**pair.exchanges(differing), **settings(pair)}
    difference, left = shares(pair, steps, exchanged)
    name = ours.provenance.name
    return Comparison(name, "mujoco", layers, parted, difference, steps, tuple(left))
