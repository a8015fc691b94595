"""Dynamics engines: mass matrix, bias force and kinematics of one tree; poses."""

from __future__ import annotations

from footfall.interfaces.engine import (
    Engine as Engine,
    ModelSource as ModelSource,
    LinkFrame as LinkFrame,
    Tree as Tree,
    TreeModel as TreeModel,
)
from footfall.spatial.pose import (
    Pose as Pose,
    rotation_about as rotation_about,
    rotation_from_rpy as rotation_from_rpy,
)
