"""The dynamics-engine role: mass matrix, bias force and kinematics of one tree."""

from __future__ import annotations

from footfall.errors import captured as captured
from footfall.interfaces.engine import (
    CompiledTree as CompiledTree,
    Engine as Engine,
    ModelSource as ModelSource,
    Placement as Placement,
    Tree as Tree,
    TreeModel as TreeModel,
)
