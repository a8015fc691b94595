"""The backend role: another simulator that makes the steps of a scene."""

from __future__ import annotations

from footfall.interfaces.backend import (
    Backend as Backend,
    BackendSteps as BackendSteps,
    FoundContacts as FoundContacts,
)
