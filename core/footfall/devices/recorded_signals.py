"""Records signals of bodies on request, ``[recorder] signals``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footfall.devices.body_signals import Signals, places
from footfall.devices.signal_names import Recordable, recordable
from footfall.errors import SettingError, nearest
from footfall.interfaces.signals import BodySignals
from footfall.recording.layout import Layout, Variable
from footfall.scene.scene import Scene
from footfall.typing import Floats
from footfall.world.body import Body
from footfall.world.world import World

OWN = ("nu", "nu_column", "joint", "foot", "contact")
"""Dimensions that belong to a body."""
GENERAL: Mapping[str, tuple[str, ...]] = {
    "pose_row": ("x", "y", "z", "1"),
    "pose_column": ("x", "y", "z", "origin"),
    "momentum": ("px", "py", "pz", "lx", "ly", "lz"),
}
STANDARD = {"axis": 3, "twist": 6, "wrench": 6}
"""Dimensions that every recording has, with their sizes."""


@dataclass(frozen=True, slots=True)
class RecordedSignal:
    """One signal of the list.

    Attributes:
        body: whose.
        name: without the body's, as in the scene.
        signal: how it is read.
        variable: that holds it.
        labels: of the dimensions that only it brings, by name.
    """

    body: str
    name: str
    signal: Recordable
    variable: Variable
    labels: Mapping[str, tuple[str, ...]]


def recorded_signals(scene: Scene, world: World) -> tuple[RecordedSignal, ...]:
    """Return the signals that a scene wants to be recorded.

    Raises:
        SceneError: if there is none of a name, or it is given twice; names the key.
    """
    found: dict[str, RecordedSignal] = {}
    for number, text in enumerate(scene.recorder.signals):
        try:
            one = recorded_signal(text, world)
            if one.variable.name in found:
                raise SettingError(f"{text!r} is given twice")
        except SettingError as error:
            raise scene.error(error.reason, "recorder", "signals", number) from error
        found[one.variable.name] = one
    return tuple(found.values())


def recorded_signal(text: str, world: World) -> RecordedSignal:
    """Return the signal of a name, ``NAME`` or ``BODY/NAME``.

    Raises:
        SettingError: if there is none; offers the nearest.
    """
    bodies = {body.name: body for body in world.bodies}
    owner, slash, name = text.partition("/")
    if not slash:
        owner, name = next(iter(bodies)), text
        if len(bodies) > 1:
            some = f"{owner}/{text}"
            raise SettingError(f"{text!r}: there are several bodies, say whose, e.g. {some!r}")
    if owner not in bodies:
        raise SettingError(f"no body {owner!r}{nearest(owner, bodies)}")
    signal = recordable(name, places(bodies[owner]))
    stem = f"{_identifier(owner)}_" if len(bodies) > 1 else ""
    sizes = {**STANDARD, **{dim: len(names) for dim, names in GENERAL.items()}}
    own = _own_labels(bodies[owner], world)
    dims = tuple(f"{stem}{dim}" if dim in OWN and stem else dim for dim in signal.dims)
    shape = tuple(len(own[dim]) if dim in OWN else sizes[dim] for dim in signal.dims)
    if 0 in shape:
        dim = signal.dims[shape.index(0)]
        raise SettingError(f"{text!r}: {owner} has no {'feet' if dim == 'foot' else dim + 's'}")
    labels = {
        new: own[dim] if dim in OWN else GENERAL[dim]
        for new, dim in zip(dims, signal.dims, strict=True)
        if dim not in STANDARD and (stem or dim not in ("joint", "foot", "contact"))
    }
    variable = Variable(
        f"signal_{stem}{_identifier(name)}", dims, shape, signal.units, signal.meaning
    )
    return RecordedSignal(owner, name, signal, variable, labels)


def _own_labels(body: Body, world: World) -> dict[str, tuple[str, ...]]:
    """Return the names along the dimensions of a body."""
    base = ("vx", "vy", "vz", "wx", "wy", "wz") if body.joint_offset else ()
    nu, prefix = (*base, *body.model.joint_names), f"{body.name}/"
    return {
        "nu": nu,
        "nu_column": nu,
        "joint": body.model.joint_names,
        "foot": tuple(name for name in world.foot_names if name.startswith(prefix)),
        "contact": tuple(name for name in world.contact_names if name.startswith(prefix)),
    }


def _identifier(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)


class SignalRecord:
    """Writes the signals to the rows of a recording."""

    def __init__(self, wanted: Sequence[RecordedSignal], signals: Signals, layout: Layout) -> None:
        bodies = dict.fromkeys(one.body for one in wanted)
        of: dict[str, BodySignals] = {body: signals.of(body) for body in bodies}
        self._update = [signals.sources[body].update_evaluated for body in bodies]
        self._start: list[tuple[slice, Callable[[BodySignals], npt.ArrayLike], BodySignals]] = []
        self._step: list[tuple[slice, Callable[[BodySignals], npt.ArrayLike], BodySignals]] = []
        for one in wanted:
            to = self._start if one.signal.instant == "start" else self._step
            to.append((layout.slice_of(one.variable.name), one.signal.read, of[one.body]))

    def begin(self, row: Floats) -> None:
        """Write those of a step's start, which has just been evaluated."""
        for update in self._update:
            update()
        for place, read, body in self._start:
            row[place] = np.ravel(read(body))

    def end(self, row: Floats) -> None:
        """Write those of the step that has been made."""
        for place, read, body in self._step:
            row[place] = np.ravel(read(body))
