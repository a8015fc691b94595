"""The page of robot files: every table and key of robot.toml."""

from docs.generators.reference.docstring_markdown import to_markdown
from docs.generators.reference.field_table import field_table
from footfall.model import loop_spec, spec

FEATURES = ("frame", "name", "friction", "restitution")
"""Keys of every contact feature, described with the first kind."""
NAMED = ("name", "project")
"""Keys of every loop, described with the first kind."""
TABLES = (
    ("The top level", spec.RobotSpec, ()),
    ("`[model]`", spec.ModelFile, ()),
    ("`[contact]`", spec.ContactDefaults, ()),
    ('`[[contact_features]]`, `kind = "point"`', spec.PointFeatures, ()),
    ('`[[contact_features]]`, `kind = "sphere"`', spec.SphereFeature, FEATURES),
    ('`[[contact_features]]`, `kind = "rim"`', spec.RimFeature, FEATURES),
    ('`[[contact_features]]`, `kind = "ring"`', spec.RingFeature, FEATURES),
    ("`[[collision_shapes]]`", spec.CollisionShapeSpec, ()),
    ('`[[loops]]`, `kind = "point"`', loop_spec.PointLoopSpec, ()),
    ('`[[loops]]`, `kind = "weld"`', loop_spec.WeldLoopSpec, (*NAMED, "a", "b")),
    ('`[[loops]]`, `kind = "coupling"`', loop_spec.CouplingSpec, NAMED),
    ("`[[loops]]`, a frame as a table", loop_spec.FrameSpec, ()),
    ("`[joint_dynamics.PATTERN]`", spec.JointDynamics, ()),
)
"""Titles, models, and keys that the first kind describes."""


def robot_file_page():
    """Return one table of keys for each table of the file."""
    return "".join(_section(*table) for table in TABLES)


def _section(title, model, left_out):
    words = to_markdown(model.__doc__)
    also = f"Also {', '.join(f'`{key}`' for key in left_out)}, as above." if left_out else ""
    table = field_table(model, left_out=(*left_out, "kind"))
    return (
        "\n\n".join(part for part in (f"## {title}", words, also, table) if part).strip() + "\n\n"
    )
