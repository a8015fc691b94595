"""A URDF without movable joints is one rigid body: its constants need no engine."""

from __future__ import annotations

from collections.abc import Mapping

from footfall.formats.inertia import check_inertias, weld
from footfall.formats.normal_form import motion
from footfall.formats.urdf import Urdf
from footfall.interfaces.engine import Placement, TreeModel
from footfall.spatial.pose import Pose


def rigid_body(urdf: Urdf, locked: Mapping[str, float]) -> TreeModel:
    """Return the floating body that the links of a URDF are when no joint moves.

    Its link 0 has the root link's frame; ``frames`` holds every link and joint of the URDF.

    Args:
        urdf: the model.
        locked: positions of its joints, [rad or m], 0 where none is given.

    Raises:
        RobotError: if a link's mass properties are not those of a body, or there is no mass.
    """
    check_inertias(urdf, (), root_moves=True)
    poses = {urdf.root: Pose.identity()}
    joint_poses = {}
    for joint in urdf.depth_first():
        moved = joint.origin @ motion(joint, locked.get(joint.name, 0.0))
        poses[joint.child] = joint_poses[joint.name] = poses[joint.parent] @ moved
    total = weld((poses[link.name], link.inertial) for link in urdf.links.values() if link.inertial)
    return TreeModel.rigid_body(
        urdf.root,
        total.mass,
        total.com,
        total.inertia,
        # A link wins over a joint of the same name, as in the engines.
        frames={
            name: Placement(0, pose.rotation, pose.translation)
            for name, pose in (joint_poses | poses).items()
        },
    )
