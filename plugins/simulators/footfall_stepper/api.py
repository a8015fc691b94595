"""The public face of the stepper, for plugins that work inside its simulator."""

from __future__ import annotations

from footfall_stepper.assembly.assemble import Assembly as Assembly, hosted as hosted
from footfall_stepper.guest import FoundContacts as FoundContacts, Guest as Guest
from footfall_stepper.kernels.step.program import Commands as Commands, Phase as Phase
from footfall_stepper.plugin import GuestSimulator as GuestSimulator
from footfall_stepper.simulation.drawing import Drawing as Drawing
from footfall_stepper.simulation.portable import (
    Memory as Memory,
    Moved as Moved,
    PortableKernel as PortableKernel,
    wasm_module as wasm_module,
)
from footfall_stepper.simulation.run import LiveInteraction as LiveInteraction, Run as Run
from footfall_stepper.simulation.simulator import (
    StepperSimulator as StepperSimulator,
    stepped as stepped,
)
from footfall_stepper.stepping.program import StepProgram as StepProgram
from footfall_stepper.stepping.settings import Physics as Physics, StepSettings as StepSettings
from footfall_stepper.collision.coal_pairs import coal_geometry as coal_geometry
from footfall_stepper.collision.shape import CollisionShape as CollisionShape
from footfall_stepper.devices.external_forces import Pushes as Pushes
from footfall_stepper.devices.signals import Signals as Signals, places as places
from footfall.terrain.pair_coefficients import pair_coefficient as pair_coefficient
from footfall_stepper.simulation.row import labels as labels
from footfall_stepper.world.body import Body as Body
from footfall_stepper.world.collider import (
    Collider as Collider,
    ContactDetector as ContactDetector,
    Solid as Solid,
)
from footfall_stepper.collision.kernels.points import CLOSEST as CLOSEST
from footfall_stepper.world.collision_arrays import unpack_key as unpack_key
from footfall_stepper.stepping.time_stepping import TimeStepping as TimeStepping
from footfall_stepper.world.state import (
    Part as Part,
    State as State,
    note_touching as note_touching,
    own_numbers as own_numbers,
    own_parts as own_parts,
)
from footfall_stepper.world.world import World as World
from footfall.world.arrays import CandidateKind as CandidateKind
from footfall_stepper.world.step_arrays import PRESCRIBED as PRESCRIBED, RunSum as RunSum
from footfall.geometry.shapes import Geometry as Geometry
from footfall.model.contact_features import ContactFeature as ContactFeature, Foot as Foot
from footfall.model.loops import Loop as Loop, LoopEnd as LoopEnd, WORLD as WORLD
from footfall.recording.layout import Layout as Layout
from footfall.recording.variables import standard_layout as standard_layout
from footfall.simulator.run_record import Provenance as Provenance
