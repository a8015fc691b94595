"""The page of scene files: every table and key, from the models that files are validated with."""

from docs.generators.reference.docstring_markdown import to_markdown
from docs.generators.reference.field_table import field_table
from docs.generators.reference.plugin_classes import TITLES, loaded_plugins
from footfall import discover
from footfall.config.friction import DirectionalFriction
from footfall.model import devices
from footfall.model import object_schema as object_table
from footfall.scene import schema as models
from footfall.scene.choose import delassus_names
from footfall.scene.external_forces import PushTable
from footfall.scene.motion import MotionTable
from footfall.scene.scene import ANY, Scene

TABLES = (
    ("The top level", "", models.SceneFile),
    ("`[simulation]`", "", models.Simulation),
    ("`[units]`", "", models.Units),
    ("`[world]`", "", models.WorldTable),
    ("`[bodies.NAME]`", "", models.BodyTable),
    ("`motion` of a fixed object", "", MotionTable),
    ("`[bodies.NAME.controller]`, beside the controller's own keys", "", models.Pace),
    ("`[[bodies.NAME.actuators]]`", "", devices.ActuatorSpec),
    ("`[[bodies.NAME.sensors]]`", "", devices.SensorSpec),
    ('`shape = {type = "box"}`', "", object_table.BoxShape),
    ('`shape = {type = "sphere"}`', "", object_table.SphereShape),
    ('`shape = {type = "cylinder"}`', "", object_table.CylinderShape),
    ('`shape = {type = "capsule"}`', "", object_table.CapsuleShape),
    ('`shape = {type = "mesh"}`', "", object_table.MeshShape),
    ('`shape = {type = "heightfield"}`', "", object_table.HeightFieldShape),
    ("`[collisions]`", "", object_table.CollisionTable),
    ("`[recorder]`", "", models.Recorder),
    ("`[[pushes]]`", "", PushTable),
    ("`[hands.NAME]`", "", models.HandTable),
    ('`[pairs."BODY/terrain"]`, `[pairs."BODY/BODY"]`', "", models.BodyPair),
    ("`friction = {along, across, axis}`", "", DirectionalFriction),
)

PARTS = {"actuator": "actuators", "sensor": "sensors"}
"""Roles that are chosen part by part, and the tables of the parts."""


def scene_file_page():
    """Return tables of the core's own keys, then of every plugin's."""
    parts, methods = ["## Tables\n\n"], delassus_names(discover())
    for title, _, model in TABLES:
        names = {"delassus": methods} if model is models.Simulation else None
        parts.append(
            f"### {title}\n\n{to_markdown(model.__doc__)}\n\n{field_table(model, names=names)}\n"
        )
    for role, plugins in loaded_plugins().items():
        parts.append(f"## {TITLES[role]}: {_places(role)}\n\n")
        for entry, cls in plugins:
            rows = [("`plugin`", f'`"{entry.name}"`', _default(role, entry.name), entry.summary)]
            if getattr(cls, "uses_solver", False):
                rows.append(("`solver`", "table", "`{}`", "The QP solver that it uses."))
            parts.append(f"### {role} `{entry.name}`\n\n{field_table(cls.Config, rows)}\n")
    return "".join(parts)


def _places(role):
    """Name the tables in which a role is chosen."""
    if role in PARTS:
        return f"`[[bodies.NAME.{PARTS[role]}]]`, or `[[{PARTS[role]}]]` of a robot file"
    paths = [slot.path for slot in Scene.SLOTS if slot.role == role]
    names = [".".join("NAME" if key == ANY else str(key) for key in path) for path in paths]
    return ", ".join(f"`[{name}]`" for name in names)


def _default(role, name):
    defaults = {slot.default for slot in Scene.SLOTS if slot.role == role}
    if role == "actuator":
        defaults = {devices.ActuatorSpec.model_fields["plugin"].default}
    if defaults == {None}:
        return "depends on the law"
    return "default" if name in defaults else "required"
