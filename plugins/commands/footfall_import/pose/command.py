"""``footfall pose``: find joint positions and write them to a scene."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.api.command import write_whole

if TYPE_CHECKING:
    from footfall import Scene
    from footfall.api.plugin import Registry
    from footfall_import.pose.posing import Posed

ROBOT = "robot.toml"


def pose(
    scene: Annotated[
        str,
        typer.Argument(
            metavar="ROBOT|SCENE", help="A scene, a bundled robot, a robot.toml, or its folder."
        ),
    ],
    reach: Annotated[
        list[str],
        typer.Option(
            metavar="FRAME=X,Y,Z[,R,P,Y]",
            help="Goal of a frame: position in the world [m]; optionally also roll, pitch, "
            "yaw [rad]. May be repeated.",
        ),
    ],
    hold: Annotated[
        list[str] | None,
        typer.Option(metavar="FRAME", help="Frame that stays in its place. May be repeated."),
    ] = None,
    body: Annotated[
        str | None, typer.Option(help="The robot to pose, if the scene has several.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="SCENE", help="Scene file to write (default: print)."
        ),
    ] = None,
    target: Annotated[
        bool, typer.Option("--target", help="Write the controller's target, not the start posture.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the output, even if it is the given scene.")
    ] = False,
) -> None:
    """Find joint positions that bring frames to given places.

    The search starts at the scene's start posture. The command prints the joint positions, or
    writes them to a copy of the scene.

    Examples:
        footfall pose panda --reach panda_hand_tcp=0.4,0.1,0.5
        footfall pose humanoid/standing --reach r_hand=0.3,-0.2,1.0 --hold l_sole --hold r_sole
    """
    from footfall import SceneError, discover, progress_lines
    from footfall_import.pose.posing import pose as found_by

    if output is not None and output.exists() and not overwrite:
        raise SceneError(f"{output} exists: choose another name or add --overwrite")
    if output is not None and output.suffix != ".toml":
        raise SceneError(f"{output}: the name of a scene must end in .toml")
    registry = discover()
    goals = parse_goals(reach)
    loaded, text = load(scene, registry)
    with progress_lines(lambda s: f"looking for a posture: {s:.0f} s"):
        posed = found_by(loaded, goals, hold=hold or (), body=body, registry=registry)
    for frame, (far, turn) in posed.errors.items():
        print(f"# {frame}: {1e3 * far:.2g} mm, {turn:.2g} rad from its goal")
    changed = changes(loaded, posed, target=target)
    if output is None:
        print(printed(changed))
        return
    write(output, text, changed, registry)
    print(f"{output} written; run it: footfall run {output}")


def parse_goals(given: list[str]) -> dict[str, list[float]]:
    """Return the numbers of each given frame.

    Raises:
        BadParameter: if a text is malformed, or a frame is given twice.
    """
    goals: dict[str, list[float]] = {}
    for frame, numbers in map(parse_goal, given):
        if frame in goals:
            raise typer.BadParameter(f"{frame} is given twice", param_hint="--reach")
        goals[frame] = numbers
    return goals


def parse_goal(given: str) -> tuple[str, list[float]]:
    """Return frame and numbers of ``FRAME=X,Y,Z`` or ``FRAME=X,Y,Z,ROLL,PITCH,YAW``.

    Raises:
        BadParameter: if it is neither.
    """
    frame, sign, numbers = given.rpartition("=")
    try:
        values = [float(number) for number in numbers.split(",")]
    except ValueError:
        values = []
    if not (frame and sign and len(values) in (3, 6)):
        message = f"{given!r} is not FRAME=X,Y,Z or FRAME=X,Y,Z,ROLL,PITCH,YAW"
        raise typer.BadParameter(message, param_hint="--reach")
    return frame, values


def load(reference: str, registry: Registry) -> tuple[Scene, str]:
    """Return a scene and its text; for a robot, a scene that holds its posture.

    Raises:
        SceneError: if the reference is neither a scene nor a robot.
        RobotError: if the robot cannot be loaded.
    """
    import tomllib

    from footfall import SceneError, find_scene, load_robot, load_scene, scene_from_dict

    path = Path(reference)
    if path.name != ROBOT and not (path / ROBOT).is_file():
        try:
            file = find_scene(reference)[1]
        except SceneError:
            if "/" in reference or path.suffix == ".toml":
                raise
        else:
            return load_scene(reference, None, registry), file.read_text(encoding="utf-8")
    robot = load_robot(reference, None, registry)
    if not robot.kept:
        raise SceneError(f"{reference}: has no joints, so there is nothing to pose")
    text = scene_of(robot.name, str(path.resolve()) if path.exists() else reference)
    return scene_from_dict(tomllib.loads(text), registry, name=robot.name), text


def scene_of(name: str, robot: str) -> str:
    """Return the text of a scene in which a robot holds its start posture."""
    from json import dumps

    from footfall.api.command import Key

    body = Key(("bodies", name))
    return f"""description = {dumps(f"{name} holds a posture")}

[simulation]
duration = 5.0
time_step = 1e-3

[world.terrain]
plugin = "plane"
friction = 0.6

[{body}]
robot = {dumps(robot, ensure_ascii=False)}

[{body}.controller]
plugin = "posture"
"""


Change = tuple[tuple[str, ...], dict[str, Any], bool]
"""Path of a table, its values, and True if they replace the whole table."""


def changes(scene: Scene, posed: Posed, *, target: bool) -> list[Change]:
    """Return the changes to a scene so that a robot starts in, or is held in, a posture.

    Feed-forward torques against gravity are replaced by those of the new posture.

    Raises:
        SceneError: if ``target`` is True and the controller has no target.
    """
    from footfall import SceneError

    body = ("bodies", posed.body)
    settings = dict(scene.bodies[posed.body].controller.config)
    found: list[Change] = []
    if target:
        if "target" not in settings:
            plugin = scene.bodies[posed.body].controller.plugin
            raise SceneError(f"--target: the controller {plugin!r} of {posed.body} has no target")
        found.append(((*body, "controller", "target"), posed.joint_positions, True))
    else:
        found.append(((*body, "joint_positions"), posed.joint_positions, True))
        if posed.base_position is not None:
            base = {
                "base_position": posed.base_position,
                "base_orientation": posed.base_orientation,
            }
            found.append((body, base, False))
    if settings.get("feed_forward") and posed.holding:
        found.append(((*body, "controller", "feed_forward"), posed.holding, True))
    return found


def write(output: Path, text: str, changes: list[Change], registry: Registry) -> None:
    """Write a scene's text with changes; an unreadable scene is not kept.

    Raises:
        SceneError: if the text cannot be changed, or the scene cannot be read from its new place.
        RobotError: if the scene's robots are not found from its new place.
    """
    from footfall import SceneError, load_robot, load_scene
    from footfall_import.pose.scene_text import with_keys, with_values

    for table, values, whole in changes:
        text = (with_values if whole else with_keys)(text, table, values)
    draft = output.with_name(f".{output.stem}.draft.toml")
    try:
        with SceneError.of_file(output):
            write_whole(draft, text)
            scene = load_scene(draft, None, registry)
            for body in scene.bodies.values():
                if body.robot is not None:  # may be relative to the scene
                    load_robot(body.robot, scene.folder, registry)
            draft.replace(output)
    finally:
        draft.unlink(missing_ok=True)


def printed(changes: list[Change]) -> str:
    """Return changes as the tables of a scene file."""
    from footfall_import.pose.scene_text import with_keys, with_values

    tables = [
        with_values("", table, values) if whole else with_keys("", table, values)
        for table, values, whole in changes
    ]
    return "\n".join(tables).rstrip()
