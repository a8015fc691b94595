"""The page of scene files: every table and key, from the models that files are validated with."""

from docs.generators.reference.docstring_markdown import to_markdown
from docs.generators.reference.field_table import field_table
from footfall import discover
from footfall.config.friction import DirectionalFriction
from footfall.model import object_schema as object_table
from footfall.scene import schema as models
from footfall.scene.choose import delassus_names
from footfall.scene.external_forces import PushTable
from footfall.scene.motion import MotionTable

TABLES = (
    ("The top level", models.SceneFile),
    ("`[simulation]`", models.Simulation),
    ("`[units]`", models.Units),
    ("`[world]`", models.WorldTable),
    ("`[bodies.NAME]`", models.BodyTable),
    ("`motion` of a fixed object", MotionTable),
    *((f'`shape = {{type = "{kind}"}}`', table) for kind, table in object_table.SOLIDS.items()),
    ('`shape = {type = "heightfield"}`', object_table.HeightFieldShape),
    ("`[collisions]`", object_table.CollisionTable),
    ('`[pairs."BODY/terrain"]`, `[pairs."BODY/BODY"]`', models.BodyPair),
    ("`friction = {along, across, axis}`", DirectionalFriction),
    ("`[[pushes]]`", PushTable),
    ("`[hands.NAME]`", models.HandTable),
    ("`[recorder]`", models.Recorder),
)
CLEAR = (models.SceneFile, models.Simulation, models.WorldTable, models.BodyTable, models.Recorder)
"""Tables whose title says all that their docstring says."""


def scene_file_page():
    """Return tables of the core's own keys."""
    parts, methods = [], _methods()
    for title, model in TABLES:
        names = {"delassus": methods} if model is models.Simulation else None
        left_out = ("type",) if title.startswith("`shape") else ()
        table = field_table(model, names=names, left_out=left_out)
        words = "" if model in CLEAR else f"{to_markdown(model.__doc__)}\n\n"
        parts.append(f"\n## {title}\n\n{words}{table}")
    return "".join(parts)


def _methods():
    return delassus_names(discover())
