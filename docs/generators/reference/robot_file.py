"""The page of robot files: every table and key of robot.toml."""

from docs.generators.reference.docstring_markdown import to_markdown
from docs.generators.reference.field_table import field_table
from footfall.config.friction import DirectionalFriction
from footfall.model import devices, loop_spec, spec
from footfall.model import object_schema as object_table
from footfall.model import spec as shape_spec

TABLES = (
    ("The top level", spec.RobotSpec),
    ("`[model]`", spec.ModelFile),
    ("`[contact]`", spec.ContactDefaults),
    ("`friction = {along, across, axis}`", DirectionalFriction),
    ('`[[contact_features]]`, `kind = "point"`', spec.PointFeatures),
    ('`[[contact_features]]`, `kind = "sphere"`', spec.SphereFeature),
    ('`[[contact_features]]`, `kind = "rim"`', spec.RimFeature),
    ('`[[contact_features]]`, `kind = "ring"`', spec.RingFeature),
    ("`[[collision_shapes]]`", shape_spec.CollisionShapeSpec),
    *((f'`shape = {{type = "{kind}"}}`', table) for kind, table in object_table.SOLIDS.items()),
    ('`[[loops]]`, `kind = "point"`', loop_spec.PointLoopSpec),
    ('`[[loops]]`, `kind = "weld"`', loop_spec.WeldLoopSpec),
    ('`[[loops]]`, `kind = "coupling"`', loop_spec.CouplingSpec),
    ("`[[loops]]`, a frame as a table", loop_spec.FrameSpec),
    ("`[joint_dynamics.PATTERN]`", spec.JointDynamics),
    ("`[[actuators]]`", devices.ActuatorSpec),
    ("`[[sensors]]`", devices.SensorSpec),
)


def robot_file_page():
    """Return one table of keys for each table of the file."""
    return "".join(
        f"## {title}\n\n{to_markdown(model.__doc__)}\n\n{field_table(model)}\n"
        for title, model in TABLES
    )
