"""Conversion of a URDF in normal form into adam's model."""

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
    """A prismatic joint with a correct motion subspace; adam 0.5 with CasADi returns 12 rows."""

    def motion_subspace(self) -> Any:
        """Return the unit twist, shape (6, 1), linear first."""
        zero = self.math.zeros(1)
        return self.math.vertcat(self.axis[0], self.axis[1], self.axis[2], zero, zero, zero)


class Factory(URDFModelFactory):  # type: ignore[misc]
    """adam's URDF reader with corrected prismatic joints."""

    def build_joint(self, joint: Any) -> Any:
        """Return adam's joint for a joint of the file."""
        return (Slide if joint.joint_type == "prismatic" else StdJoint)(joint, self.math)


def algorithms(source: ModelSource) -> Any:
    """Return adam's algorithms for a model, with velocities in body-fixed axes."""
    math = SpatialMath()
    model = Model.build(Factory(source.xml, math), list(source.joints or ()))
    found = RBDAlgorithms(model, math)
    found.set_frame_velocity_representation(Representations.BODY_FIXED_REPRESENTATION)
    return found
