"""Find what is pushed by name: links and joints of a world."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall.devices.push_profile import profile_of
from footfall.devices.pushes import JointPush, LinkPush
from footfall.errors import SettingError, known
from footfall.scene.external_forces import PushTable
from footfall.scene.scene import Scene
from footfall.spatial.pose import Pose
from footfall.world.body import Body
from footfall.world.world import World


def find_body(world: World, name: str | None) -> int:
    """Return the place of a body by name; None: of the only one there is.

    Raises:
        SettingError: if there is none of that name, or several to choose from.
    """
    names = [body.name for body in world.bodies]
    if name is None:
        if len(names) > 1:
            raise SettingError(f"is missing: there are several bodies ({', '.join(names)})", "body")
        return 0
    if name not in names:
        raise SettingError(f"no body {name!r}{known(name, names, 'bodies')}", "body")
    return names.index(name)


def find_link(world: World, body: int, name: str) -> tuple[int, Pose]:
    """Return the global link that carries a named frame, and the frame's pose in it.

    Raises:
        SettingError: if the body has none of that name.
    """
    frames = world.bodies[body].model.frames
    if name not in frames:
        raise SettingError(
            f"{world.bodies[body].name} has no link {name!r}{known(name, frames, 'links')}", "link"
        )
    frame = frames[name]
    return int(world.topology.tree_link[body]) + frame.link, Pose(frame.rotation, frame.translation)


def find_joint(world: World, body: int, name: str) -> int:
    """Return the dof of a joint among all velocities.

    Raises:
        SettingError: if the body has none of that name.
    """
    joints = world.bodies[body].model.joint_names
    if name not in joints:
        raise SettingError(
            f"{world.bodies[body].name} has no joint {name!r}{known(name, joints, 'joints')}",
            "joint",
        )
    return int(world.joint_slice(body).start) + joints.index(name)


def pushes_of(scene: Scene, world: World) -> Iterator[LinkPush | JointPush]:
    """Yield the pushes of a scene.

    Raises:
        SceneError: if something in one does not exist; names the key.
    """
    for number, table in enumerate(scene.pushes):
        try:
            yield push_of(table, world)
        except SettingError as error:
            raise scene.error(error.reason, "pushes", number, *error.path) from error


def push_of(table: PushTable, world: World) -> LinkPush | JointPush:
    """Return the push that a scene's table describes.

    Raises:
        SettingError: if something in it does not exist; names the key.
    """
    index = find_body(world, table.body)
    body: Body = world.bodies[index]
    try:
        profile = profile_of(table)
    except ValueError as error:
        raise SettingError(str(error), "function") from error
    if table.joint is not None:
        dof = find_joint(world, index, table.joint)
        return JointPush(f"{body.name}/{table.joint}", dof, table.start, profile)
    assert table.link is not None
    link, frame = find_link(world, index, table.link)
    point = frame.apply(np.array(table.point, float))
    rotation = frame.rotation if table.frame == "link" else None
    return LinkPush(f"{body.name}/{table.link}", link, point, rotation, table.start, profile)
