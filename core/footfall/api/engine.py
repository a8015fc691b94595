"""The dynamics-engine role: mass matrix, bias force and kinematics of one tree."""

from __future__ import annotations

from footfall.errors import captured
from footfall.interfaces.engine import CompiledTree, Engine, ModelSource, Placement, Tree, TreeModel

__all__ = [
    "CompiledTree",
    "Engine",
    "ModelSource",
    "Placement",
    "Tree",
    "TreeModel",
    "captured",
]
