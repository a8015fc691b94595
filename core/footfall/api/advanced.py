"""Names for plugins that go beyond one role; less settled than the rest of the contract."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from footfall.config.csv_table import read_table as read_table
from footfall.config.fields import (
    DataPath as DataPath,
    FunctionName as FunctionName,
)
from footfall.config.toml import read_toml as read_toml
from footfall.config.validate import sized as sized
from footfall.errors import captured_output as captured_output
from footfall.formats.inertia import odd_inertias as odd_inertias
from footfall.formats.mesh_paths import find_mesh as find_mesh
from footfall.formats.urdf import (
    Inertial as Inertial,
    Joint as Joint,
    PlacedShape as PlacedShape,
    Urdf as Urdf,
    Visual as Visual,
)
from footfall.formats.urdf_file import read_urdf as read_urdf
from footfall.formats.xml import FileElement as FileElement
from footfall.geometry.heights import read_heights as read_heights
from footfall.geometry.shapes import (
    Box as Box,
    HeightField as HeightField,
    Sphere as Sphere,
)
from footfall.interfaces.actuator import DriveArrays as DriveArrays
from footfall.interfaces.contact import (
    DelassusMethod as DelassusMethod,
    ContactModel as ContactModel,
)
from footfall.interfaces.engine import CompiledTree as CompiledTree
from footfall.interfaces.input_device import HandMode as HandMode
from footfall.interfaces.integrator import InnerStep as InnerStep
from footfall.interfaces.interaction import (
    HandPlan as HandPlan,
    Interaction as Interaction,
    HandsWorld as HandsWorld,
)
from footfall.interfaces.interactive_visualizer import (
    ViewerCommand as ViewerCommand,
    CreateObject as CreateObject,
    DeleteObject as DeleteObject,
    HandMove as HandMove,
    HandRelease as HandRelease,
    InteractiveVisualizer as InteractiveVisualizer,
    LiveHand as LiveHand,
    LiveStatus as LiveStatus,
    Pause as Pause,
    Play as Play,
    Restart as Restart,
    SingleStep as SingleStep,
    Speed as Speed,
    Tune as Tune,
    WatchSignals as WatchSignals,
)
from footfall.interfaces.visualizer import Node as Node
from footfall.jit.compiling import by_type as by_type
from footfall.jit.four import dot as dot, subtract_two as subtract_two
from footfall.jit.stages import stage_of as stage_of
from footfall.jit.tables import (
    point_at as point_at,
    allocated as allocated,
)
from footfall.listening import (
    Listener as Listener,
    RateLimit as RateLimit,
)
from footfall.model.collision_shapes import drawn_triangles as drawn_triangles
from footfall.model.description import (
    ModelCoupling as ModelCoupling,
    ModelDescription as ModelDescription,
    ModelJoining as ModelJoining,
)
from footfall.model.mesh_file import MeshFile as MeshFile
from footfall.problem.arrays import (
    Factor as Factor,
    allocate as allocate,
    ProblemArrays as ProblemArrays,
)
from footfall.problem.blocks import (
    complete_matrix as complete_matrix,
    label_groups as label_groups,
    times_matrix as times_matrix,
)
from footfall.problem.canonical import canonical as canonical
from footfall.problem.cones import Cones as Cones
from footfall.problem.elimination import Elimination as Elimination
from footfall.problem.dense import solve_dense as solve_dense
from footfall.problem.residuals import (
    natural_map_cone as natural_map_cone,
    project_cone as project_cone,
)
from footfall.problem.soundness import symmetrise as symmetrise
from footfall.qp.backend import TOLERANCE as TOLERANCE
from footfall.qp.portable_proxsuite import load_proxqp as load_proxqp
from footfall.qp.presolve import ScaledQP as ScaledQP
from footfall.recording.layout import Variable as Variable
from footfall.scene.overrides import varied_keys as varied_keys
from footfall.terrain.coefficients import plane_patches as plane_patches
from footfall.whole_file import (
    read_arrays as read_arrays,
    temporary_folder as temporary_folder,
    unfinished_folder as unfinished_folder,
)


class Exporter(Protocol):
    """A function in ``registry.exporter``, by name of the format, that writes a recording.

    ``footfall export RECORDING --format NAME`` calls it.
    """

    def __call__(
        self, recording: Path, output: Path, *, overwrite: bool, trust: bool = False
    ) -> None:
        """Write a recording in another format; the file appears whole or not at all.

        Args:
            recording: path for ``footfall.open_run``; with several segments
                (``footfall.open_segments``) the first, or another by its path. A format without
                the motion may also accept the argument of ``footfall.load_scene``.
            output: the file or folder to write.
            overwrite: whether an existing output may be replaced.
            trust: whether functions that the recording names may be imported
                (``footfall.stored_scene``); true only if the user trusts it.

        Raises:
            RecordingError: if the recording cannot be read, or the output exists or cannot be
                written.
        """
