"""The engine ``featherstone``: loads trees and evaluates them with compiled recursions."""

from __future__ import annotations

import numpy as np

from footfall.api.advanced import CompiledTree
from footfall.api.engine import Engine, ModelSource, Tree, TreeModel
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Capability, Floats
from footfall_featherstone import kernels
from footfall_featherstone.arrays import Constants, Evaluation, Moving, Placed, State
from footfall_featherstone.bodies import read_urdf_bodies
from footfall_featherstone.constants import kernel_constants, tree_model
from footfall_featherstone.mjcf import read_mjcf


class Featherstone(Engine):
    """Featherstone's recursions (Rigid Body Dynamics Algorithms, 2008) in compiled kernels."""

    name = "featherstone"
    capabilities = Engine.BASES | {Capability.URDF, Capability.MJCF}

    def build(self, source: ModelSource) -> Tree:
        """Load one tree from the text of a URDF or an MJCF.

        Raises:
            RobotError: if the model cannot be read, or has joints other than hinges and slides;
                names the element.
        """
        bodies = read_mjcf(source) if source.format == "mjcf" else read_urdf_bodies(source)
        model = tree_model(bodies, source)
        return FeatherstoneTree(model, kernel_constants(bodies, model, source.gravity))


class FeatherstoneTree(Tree):
    """One tree: its constants, its arrays, and two kernels that use a table of them."""

    def __init__(self, model: TreeModel, constants: Constants) -> None:
        """Allocate every array once.

        Args:
            model: constants for users of the tree.
            constants: constants for its kernels.
        """
        links, joints = model.n_links, len(model.joint_names)
        self.model = model
        self.M, self.h = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
        self.S, self.pose = np.zeros((model.nv, 6)), np.zeros((links, 12))
        self.pose[0, [0, 4, 8]] = 1.0  # a fixed base never moves
        self._parts = (
            constants,
            Evaluation(self.M, self.h, self.S, self.pose),
            Placed(
                origin=np.zeros((links, 3)),
                offset=np.zeros((joints, 3)),
                twist=np.zeros((joints, 6)),
                lever=np.zeros((links, 3)),
                inertia=np.zeros((links, 6)),
                moment=np.zeros((links, 3)),
                carried=np.zeros((links, 6)),
            ),
            Moving(
                spin=np.zeros((links, 3)),
                turn=np.zeros((links, 3)),
                rate=np.zeros((links, 3)),
                gradient=np.zeros((links, 9)),
                force=np.zeros((links, 3)),
                torque=np.zeros((links, 3)),
            ),
        )
        self._q, self._v = np.zeros(model.nq), np.zeros(model.nv)
        own = self.compiled(self._q, self._v)
        self._evaluate = bind(own.evaluate, own.table)
        self._evaluate_bias = bind(own.evaluate_bias, own.table)

    def evaluate(self, q: Floats, v: Floats) -> None:
        """Overwrite M, h, S and pose."""
        self._q[:], self._v[:] = q, v
        self._evaluate()

    def evaluate_bias(self, q: Floats, v: Floats) -> None:
        """Overwrite h only, at the positions of the last ``evaluate``."""
        self._v[:] = v
        self._evaluate_bias()

    def compiled(self, q: Floats, v: Floats) -> CompiledTree:
        """Return the two kernels, and a table in which q and v are the given arrays.

        Raises:
            ValueError: if a length does not fit the tree.
            TypeError: if they are not float64 arrays in C order.
        """
        if q.shape != (self.model.nq,) or v.shape != (self.model.nv,):
            raise ValueError(
                f"q and v have shapes {q.shape} and {v.shape}, expected ({self.model.nq},) and "
                f"({self.model.nv},)"
            )
        constants, *rest = self._parts
        table = table_of(constants, State(q, v), *rest)
        return CompiledTree(kernels.evaluate, kernels.evaluate_bias, table)
