"""A URDF in normal form as adam's model."""

from __future__ import annotations

from typing import Any

from adam.casadi.casadi_like import SpatialMath
from adam.core import RBDAlgorithms
from adam.core.constants import Representations
from adam.model import Model
from adam.model.std_factories.std_joint import StdJoint
from adam.model.std_factories.std_model import URDFModelFactory

from footfall.api.engine import ModelSource


class Slide(StdJoint):  # type: ignore[misc]
    """A prismatic joint; adam 0.5 gives its motion subspace 12 rows with CasADi."""

    def motion_subspace(self) -> Any:
        """Return the unit twist, shape (6, 1), linear first."""
        zero = self.math.zeros(1)
        return self.math.vertcat(self.axis[0], self.axis[1], self.axis[2], zero, zero, zero)


class Factory(URDFModelFactory):  # type: ignore[misc]
    """adam's reader of URDFs, with slides mended."""

    def build_joint(self, joint: Any) -> Any:
        """Return the joint of adam's model for one of the file."""
        return (Slide if joint.joint_type == "prismatic" else StdJoint)(joint, self.math)


def algorithms(source: ModelSource) -> Any:
    """Return adam's algorithms over a model, velocities along the axes of what moves."""
    math = SpatialMath()
    model = Model.build(Factory(source.xml, math), list(source.joints or ()))
    found = RBDAlgorithms(model, math)
    found.set_frame_velocity_representation(Representations.BODY_FIXED_REPRESENTATION)
    return found
