"""The engine ``pinocchio``: loads trees and evaluates them with two calls into C++."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin

from footfall.api.engine import Engine, ModelSource, Tree, TreeModel
from footfall.api.plugin import Capability, Floats, PluginError
from footfall_pinocchio.constants import tree_model
from footfall_pinocchio.parse import load_model

POSE_BYTES = 96
"""Size of a ``pinocchio::SE3``: rotation column-major (72 bytes), then translation (24)."""


class Pinocchio(Engine):
    """Recursions of Pinocchio (Carpentier et al., SII 2019): composite rigid body, Newton-Euler."""

    name = "pinocchio"
    capabilities = Engine.BASES | {Capability.URDF, Capability.MJCF}

    def build(self, source: ModelSource) -> Tree:
        """Load one tree from a URDF's text or an MJCF file.

        Raises:
            RobotError: if Pinocchio cannot represent the model; names the joint or link.
        """
        model = load_model(source)
        # The core adds armature, inside its factorisation.
        armature = np.array(model.armature)
        model.armature = np.zeros(model.nv)
        return PinocchioTree(model, tree_model(model, source, armature))


class PinocchioTree(Tree):
    """One Pinocchio model with its ``Data``; the arrays are views into that ``Data``.

    ``crba`` in the world convention fills ``M``, and also ``J`` (our ``S``) and ``oMi`` (our
    ``pose``). ``nonLinearEffects`` fills ``nle`` (our ``h``) and does not change the others.
    """

    def __init__(self, model: Any, constants: TreeModel) -> None:
        """Make the views once.

        Args:
            model: the ``pinocchio.Model``: a free-flyer if any, then joints of one dof.
            constants: the result of ``tree_model`` for it.

        Raises:
            PluginError: if this version of Pinocchio stores placements in another layout.
        """
        self.model = constants
        data = model.createData()
        # These also keep ``data`` alive, which the views do not.
        self._inertia = partial(pin.crba, model, data)
        self._bias = partial(pin.nonLinearEffects, model, data)
        self._convention = pin.Convention.WORLD
        # With one dof the bindings drop a dimension; a reshape to the same size makes a view.
        self.M = data.M.T.reshape(model.nv, model.nv)
        self.h = data.nle.reshape(model.nv)
        self.S = data.J.T.reshape(model.nv, 6)
        self.pose = _pose_view(data, first=model.njoints - constants.n_links)

    def evaluate(self, q: Floats, v: Floats) -> None:
        """Overwrite M, h, S and pose (Featherstone, RBDA, sections 6.2 and 5.3)."""
        self._inertia(q, self._convention)
        self._bias(q, v)

    def evaluate_bias(self, q: Floats, v: Floats) -> None:
        """Overwrite h only."""
        self._bias(q, v)


def _pose_view(data: Any, first: int) -> Floats:
    """Return placements ``oMi[first:]`` as one (n, 12) view."""
    placements = data.oMi
    start = _address(placements[first].rotation)
    for k in range(first, len(placements)):
        expected = start + (k - first) * POSE_BYTES
        rotation, translation = placements[k].rotation, placements[k].translation
        if (
            rotation.strides != (8, 24)
            or _address(rotation) != expected
            or _address(translation) != expected + 72
        ):
            raise PluginError(
                f"pinocchio {pin.__version__} stores placements in an unknown layout: "
                "install pin>=4.1,<5"
            )
    return np.lib.stride_tricks.as_strided(
        placements[first].rotation.T, (len(placements) - first, 12), (POSE_BYTES, 8)
    )


def _address(array: Floats) -> int:
    address: int = array.__array_interface__["data"][0]
    return address
