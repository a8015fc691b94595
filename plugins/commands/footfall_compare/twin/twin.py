"""A comparison: where a scene, or a model file, differs in another simulator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import footfall
from footfall.api.errors import FootfallError
from footfall_compare.twin.layer import Layer
from footfall_compare.twin.layers import Pair
from footfall_compare.twin.run import Parting, Share, partings, settings, shares
from footfall_stepper.api import stepped

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


UNSEEN = {"visualizer.plugin": "none"}
MODELS = (".xml", ".urdf")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Where two simulators differ.

    Attributes:
        name: of the scene, or of the file.
        other: the other simulator.
        layers: in the order in which one that differs makes the next ones differ.
        partings: when contacts, forces and accelerations part, both starting each step alike.
        difference: of positions after ``steps`` steps on their own, [rad or m].
        steps: made for that.
        shares: what is left of it once one thing is exchanged.
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
        scene: as for ``footfall.load``; or a model file, URDF or MJCF: Footfall's import of it is
            compared with the other simulator's own.
        other: name of a simulator; ``mujoco`` is the one whose model can be looked into.
        steps: that both make to see when they part.
        overrides: as for ``footfall.load``.

    Raises:
        FootfallError: if it cannot be loaded in one of them; says why.
    """
    if other != "mujoco":
        raise FootfallError(f'twin looks into "mujoco", not into {other!r}')
    if str(scene).lower().endswith(MODELS):
        from footfall_compare.twin.files import file_layers

        if not Path(scene).is_file():
            raise FootfallError(f"{scene}: no such file")
        if overrides:
            raise FootfallError(f"{scene}: a model file has no keys to change, as a scene has")
        return Comparison(str(scene), other, tuple(file_layers(Path(scene))))
    given = {**(overrides or {}), **UNSEEN}
    ours, theirs = (
        stepped(footfall.load(scene, given | {"simulator.plugin": n})) for n in ("footfall", other)
    )
    return of_simulators(ours, theirs, steps)


def of_simulators(ours: StepperSimulator, theirs: StepperSimulator, steps: int) -> Comparison:
    """Compare two simulators of a scene, at their start; both go back to it."""
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
