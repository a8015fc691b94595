"""Names of plugins that go together."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Names:
    """Names of a contact law, an impact model and an integrator.

    Attributes:
        contact: of the contact law.
        impact: of the impact model.
        integrator: of the integrator.
    """

    contact: str
    impact: str
    integrator: str

    def __str__(self) -> str:
        return f"{self.contact} + {self.impact} + {self.integrator}"
