"""A robot for the checks of sensors, in any state of motion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from footfall.api.device import Mount, SensorBody
from footfall.api.engine import LinkFrame, Pose
from footfall.api.kernels import table_of
from footfall.api.plugin import Floats
from footfall_check.kit.bench import Slope
from footfall_check.kit.stage import chain_model
from footfall_stepper.api import Body as WorldBody
from footfall_stepper.api import (
    ContactFeature,
    Foot,
    Layout,
    Pushes,
    World,
    labels,
    standard_layout,
)

FRAME, FOOT = "trunk", "foot"
"""Names of the frame and of the foot for mounting a sensor."""


class Robot:
    """Three links in a row on a floating trunk with a foot, in a random state of motion."""

    def __init__(self) -> None:
        place = LinkFrame(0, np.eye(3), np.zeros(3))
        model = replace(chain_model("floating"), frames={FRAME: place, FOOT: place})
        feature = ContactFeature(
            "foot/0", 0, "point", np.zeros(3), np.zeros(3), 0.0, np.nan, np.nan,
            foot=Foot(FOOT, 0, Pose(np.eye(3), np.zeros(3))),
        )  # fmt: skip
        no_tree: Any = _NoTree()
        q, v, n = np.zeros(model.nq), np.zeros(model.nv), len(model.joint_names)
        it = WorldBody("it", model, no_tree, q, v, (feature,), np.zeros(n), np.zeros(n))
        self.world = World([it], np.array([0.0, 0.0, -9.81]))
        self.body = SensorBody("it", model, (FOOT,))
        self.layout: Layout = standard_layout(labels(self.world, Pushes(self.world, ())))
        self.columns = self.layout.starts

    def mount(self, out: Floats) -> Mount:
        """Return the inputs of a sensor."""
        world = self.world
        return Mount(
            body=self.body,
            table=table_of(world.topology, world.joints, world.dynamics),
            columns=self.columns,
            first_link=0,
            first_q=0,
            first_v=0,
            index=0,
            foot={FOOT: 0},
            gravity=world.topology.gravity,
            terrain=Slope(),
            shapes=(),
            contact_force=lambda one, other, out: lambda row: out.fill(0.0),
            out=out,
        )

    def row(self, seed: int) -> Floats:
        """Return a row of a recording; the links' poses and the dofs' twists match it."""
        rng, dynamics = np.random.default_rng(seed), self.world.dynamics
        row: Floats = rng.normal(size=self.layout.width)
        for name in ("q", "base_quaternion"):
            at = self.columns[name] + (3 if name == "q" else 0)
            row[at : at + 4] /= np.linalg.norm(row[at : at + 4])
        row[self.columns["foot_wrench"] + 2] = 50.0
        dynamics.S[:] = rng.normal(size=dynamics.S.shape)
        for pose in dynamics.pose:
            pose[:9] = np.linalg.qr(rng.normal(size=(3, 3)))[0].ravel()
            pose[:9] *= np.sign(np.linalg.det(pose[:9].reshape(3, 3)))
            pose[9:] = rng.normal(size=3)
        return row


class _NoTree:
    """Stands for an engine's tree, which is never called."""
