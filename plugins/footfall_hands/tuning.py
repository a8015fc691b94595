"""Gains of hands, changed while a simulation runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from footfall.api.visualizer import LiveTunable
from footfall.config.toml import dotted
from footfall.config.validate import validate
from footfall.registry.catalog import TunableField, tunable_fields
from footfall.scene.hand_table import HandFields
from footfall_hands.hand import Hand

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator

Found = tuple[tuple[str, ...], LiveTunable, Callable[[float], Any], Callable[[Any], None]]


def hand_tunables(sim: Simulator, tables: Mapping[str, Any]) -> Iterator[Found]:
    """Yield key, what is shown, the check and what takes a new value, of each gain that is given.

    A stiffness or a limit that a scene leaves to the weight of what is held is not offered; their
    common factor is, where there is such a one.
    """
    for name, table in tables.get("hands", {}).items():
        for field in tunable_fields(HandFields):
            settings = sim.hands[name].settings
            value = field.value(settings)
            if value is not None and (field.name != "strength" or settings.by_weight):
                yield _of(sim.hands[name], table, field, value)


def _of(hand: Hand, table: Mapping[str, Any], field: TunableField, value: float) -> Found:
    path, mark = ("hands", hand.name, field.name), field.mark

    def check(new: float) -> HandFields:
        given = {key: table[key] for key in HandFields.model_fields if key in table}
        fields = {**given, field.name: new}
        return validate(HandFields, fields, file=None, lines={}, prefix=path[:-1])

    def take(settings: HandFields) -> None:
        hand.settings = settings

    label = f"hand {hand.name}: {field.name.replace('_', ' ')}"
    shown = LiveTunable(
        dotted(path), value, mark.low, mark.high, field.unit, label, mark.logarithmic
    )
    return path, shown, check, take
