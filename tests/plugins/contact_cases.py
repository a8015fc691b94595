"""Contact problems for laws and impact models, and the cases recorded from a real simulator."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Floats

Flags = npt.NDArray[np.bool_]
REFERENCE = Path(__file__).resolve().parents[3] / "shared" / "reference"
RECORDED = REFERENCE / "mwbs_contact_impact_cases.json"
needs_recorded_cases = pytest.mark.skipif(
    not RECORDED.exists(), reason=f"{RECORDED.name} is not beside the project"
)


def state_for(law: Any, candidates: int) -> dict[str, Floats]:
    """A law's state parts, all zero."""
    rows = {"global": 1, "contact": candidates}
    return {part.name: np.zeros((rows[part.per], part.width)) for part in law.state_parts}


@dataclass
class Recorded:
    """One recorded case: arrays of the file, the system that they describe."""

    index: int
    data: dict[str, Any]

    def array(self, name: str) -> Floats:
        """An entry of the file."""
        return np.array(self.data[name], float)

    @property
    def discrete(self) -> bool:
        """Whether the recording is of the discrete mode."""
        return bool(self.data["useDiscreteContact"])

    @property
    def touching(self) -> Flags:
        """Vertices in contact: height at most zero."""
        return self.array("z") <= 0.0

    @property
    def was_touching(self) -> Flags:
        """Vertices in contact at the step before."""
        return self.array("was_in_contact") > 0.0

    @property
    def impact(self) -> bool:
        """Whether a vertex newly touches."""
        return bool((self.touching & ~self.was_touching).any())

    @cached_property
    def inertia(self) -> Floats:
        """M."""
        return self.array("M")

    @cached_property
    def load(self) -> Floats:
        """S tau + external forces - h."""
        load = self.array("ext") - self.array("h")
        load[6:] += self.array("tau")
        return load

    def jacobian(self, vertices: Flags) -> Floats:
        """J of some vertices in contact frames."""
        J = self.array("J").reshape(len(vertices), 3, len(self.inertia))[vertices]
        rotated = np.einsum("ba,vbn->van", self.array("w_R_c"), J)
        return rotated.reshape(-1, len(self.inertia))

    def accelerations(self, force: Floats) -> Floats:
        """M^-1 (load + J' f) for forces at the touching vertices, contact frames."""
        J = self.jacobian(self.touching)
        return np.linalg.solve(self.inertia, self.load + J.T @ force)

    def problem(self, vertices: Flags, *, impulsive: bool = False) -> ContactProblem:
        """The contact problem of some vertices."""
        J, v, dt = self.jacobian(vertices), self.array("nu"), float(self.data["dt"])
        a_free = np.linalg.solve(self.inertia, self.load)
        problem = ContactProblem.from_dense(
            J @ np.linalg.solve(self.inertia, J.T),
            J @ v if impulsive else J @ (v + dt * a_free),
            np.full(int(vertices.sum()), float(self.data["mu"])),
            velocity=J @ v,
            dt=dt,
            impulsive=impulsive,
        )
        bias = self.array("Jdot_nu").reshape(-1, 3)[vertices] @ self.array("w_R_c")
        problem.jdot_v[:] = bias.ravel()
        return problem


def recorded_cases() -> list[Recorded]:
    """All cases without holonomic rows; those go through a damped inverse there."""
    cases = json.loads(RECORDED.read_text())["cases"]
    found = [Recorded(i, case) for i, case in enumerate(cases) if not case["n_holonomic_rows"]]
    assert len(found) == 45
    return found
