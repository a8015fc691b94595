"""What a contact law integrates at its contacts, in the recording."""

from __future__ import annotations

from footfall.interfaces.contact import ContactModel
from footfall.interfaces.plugin import StatePart
from footfall.recording.layout import Layout, Variable
from footfall.typing import Floats
from footfall.world.state import State


def recorded_parts(law: ContactModel) -> tuple[StatePart, ...]:
    """Return the parts of a law's state that are recorded: those it integrates, per contact."""
    return tuple(p for p in law.state_parts if p.per == "contact" and p.kind == "continuous")


def law_variables(law: ContactModel, contacts: int) -> tuple[Variable, ...]:
    """Return the variables of a law's state at its contacts."""
    return tuple(
        Variable(
            f"contact_{part.name}",
            ("contact", f"contact_{part.name}_component"),
            (contacts, part.width),
            part.units,
            f"{part.name} of the contact law {law.name} at the start of the step",
        )
        for part in recorded_parts(law)
    )


class LawRecord:
    """Writes what a law integrates at the declared contacts to a row of the recording."""

    def __init__(self, law: ContactModel, state: State, layout: Layout) -> None:
        self._state = state
        self._places = [
            (layout.slice_of(f"contact_{part.name}"), f"contact.{part.name}")
            for part in recorded_parts(law)
        ]

    def write(self, row: Floats) -> None:
        """Write the parts as they are; the state may have moved those of detected contacts."""
        for place, name in self._places:
            row[place] = self._state[name].reshape(-1)[: place.stop - place.start]


def law_record(law: ContactModel, state: State, layout: Layout) -> LawRecord | None:
    """Return what records the state of a law, None if it integrates nothing."""
    return LawRecord(law, state, layout) if recorded_parts(law) else None
