"""Scenes whose derivatives are compared with differences, each in a random state.

Bundled scenes with other settings, and small robots that are made for it.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import footfall

TIGHT = {"contact.tolerance": 1e-12}
PRESSED, CORRECTED, DEEP = 5e-6, 3e-5, 3e-3
"""Depths: within the slop, corrected, and corrected at the largest speed, [m]."""
MOTOR = {"joints": ["*"], "rotor_inertia": 1e-3, "viscous_friction": 0.2}
LIMITS = {"hip*": {"limits": [-0.5, 0.5], "friction": 0.3}, "knee*": {"limits": [-1.0, 0.2]}}


@dataclass
class Case:
    """A scene and how its state is drawn.

    Attributes:
        scene: name of a bundled one, or tables; robot: a made one, replaces "made" in tables.
        change: settings that differ; steps: made first.
        depth: of the lowest contact below the ground, None: as it comes, [m].
        v: velocity that is added to entries, by number; spread: of what is added at random to
            velocities, [m/s, rad/s]; bend: to positions of joints, [rad].
        place: positions that are set, by number; tilt: rotation vector of the base, [rad].
        tau: torques that are given for the step, one for all, [N m]; joints: which get them.
        fresh: whether what controllers remember is left out of differences by parameters.
    """

    scene: Any
    robot: str = ""
    change: dict = field(default_factory=dict)
    steps: int = 3
    depth: float | None = None
    v: dict = field(default_factory=dict)
    spread: float = 0.0
    bend: float = 0.0
    place: dict = field(default_factory=dict)
    tilt: tuple = ()
    tau: float | None = None
    joints: tuple | None = None
    fresh: bool = False

    def torques(self, sim):
        """Return the torques given for the step, None if controllers command."""
        n = len(sim.driving.choose(self.joints, sim.labels.joint))
        return None if self.tau is None else self.tau * np.linspace(1.0, 0.3, n)

    def load(self, folder, seed=0):
        """Return the simulator in its state."""
        settings = {**({} if "contact" in self.change else TIGHT), **self.change}
        if isinstance(self.scene, str):
            sim = footfall.load(self.scene, overrides=settings)
        else:
            path = folder / "scene.toml"
            text = made(folder, self.robot) if self.robot else ""
            path.write_text(toml(self.scene).replace('"made"', f'"{text}"'))
            sim = footfall.load(path, overrides=settings)
        rng, nv = np.random.default_rng(seed), sim.world.nv
        for _ in range(self.steps):
            sim.step()
        joints = sim.world.joint_dofs
        dq, dv = np.zeros(nv), self.spread * rng.normal(size=nv)
        dq[joints] = self.bend * rng.normal(size=len(joints))
        sim.q[:] = footfall.integrate(sim, sim.q, dq)
        sim.v[:] += dv
        for k, value in self.v.items():
            sim.v[k] = value
        for k, value in self.place.items():
            sim.q[k] = value
        if self.tilt:
            turned = Rotation.from_rotvec(self.tilt) * Rotation.from_quat(sim.q[3:7])
            sim.q[3:7] = turned.as_quat()
        if self.depth is not None:
            sink(sim, self.depth)
        return sim


def sink(sim, depth):
    """Shift the base (or what lifts it) so that its lowest contact is so deep."""
    lift = 2 if sim.world.topology.floating[0] else 1
    for _ in range(4):
        start, rows = sim.state.copy(), np.zeros((1, sim.row.size))
        sim.make_steps(rows, 0, 1, commands=False)
        lowest = float(sim.layout.view(rows, "gap").min())
        sim.state.restore(start)
        sim.q[lift] -= lowest + depth
        if abs(lowest + depth) < 1e-9:
            break


def toml(tables, prefix=""):
    """Return tables as TOML."""
    flat = {k: v for k, v in tables.items() if not isinstance(v, dict)}
    lines = [f"{key} = {value_text(value)}" for key, value in flat.items()]
    for key, table in tables.items():
        if isinstance(table, dict):
            lines += [f"[{prefix}{key}]", toml(table, f"{prefix}{key}.")]
    return "\n".join(lines)


def value_text(value):
    """Return a value as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f'"{k}" = {value_text(v)}' for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(value_text, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else repr(value)


LINK = (
    '<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/><inertia ixx="{ixx}" '
    'iyy="{iyy}" izz="{izz}" ixy="{ixy}" ixz="0.0001" iyz="-0.0001"/></inertial></link>'
)
JOINT = (
    '<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{name}_link"/>'
    '<origin xyz="{at}" rpy="0.1 -0.2 0.05"/><axis xyz="{axis}"/>'
    '<limit lower="-0.2" upper="0.2" effort="20" velocity="9"/></joint>'
)


def link(name, rng, mass):
    """Return a link with a random inertia, as URDF."""
    a, b, c = mass * 0.01 * rng.uniform(0.8, 1.2, 3)
    com = " ".join(f"{x:.4f}" for x in rng.normal(0.0, 0.02, 3))
    ixy = f"{mass * rng.uniform(-1e-3, 1e-3):.6f}"
    return LINK.format(name=name, com=com, mass=mass, ixx=a, iyy=b, izz=c, ixy=ixy)


ROBOTS = {
    # base, joints (name, kind, parent, axis, place), feet (frame, kind), dynamics
    "biped": (
        "floating",
        [
            *(("hip_l", "continuous", "base", "0 1 0", "0 0.1 0"),),
            *(("knee_l", "continuous", "hip_l_link", "0 1 0", "0 0 -0.2"),),
            *(("hip_r", "continuous", "base", "0 1 0", "0 -0.1 0"),),
            *(("knee_r", "continuous", "hip_r_link", "0.6 0.8 0", "0 0 -0.2"),),
        ],
        [("knee_l_link", "point"), ("knee_r_link", "point")],
        {},
    ),
    "ball_jointed": (
        "floating",
        [
            *(("x", "continuous", "base", "1 0 0", "0 0 -0.05"),),
            *(("y", "continuous", "x_link", "0 1 0", "0 0 0"),),
            *(("z", "continuous", "y_link", "0 0 1", "0 0 0"),),
        ],
        [("base", "sphere"), ("z_link", "sphere")],
        {"*": {"damping": 0.05, "armature": 0.002}},
    ),
    "hopper": (
        "planar",
        [
            *(("leg", "prismatic", "base", "0 0 1", "0 0 -0.2"),),
            *(("foot", "continuous", "leg_link", "0 1 0", "0 0 -0.1"),),
        ],
        [("foot_link", "point")],
        {"leg": {"limits": [-0.05, 0.05], "damping": 2.0}, "foot": {"friction": 0.1}},
    ),
    "arm": (
        "fixed",
        [
            *(("hip_1", "continuous", "base", "0 1 0", "0 0 0.5"),),
            *(("hip_2", "continuous", "hip_1_link", "1 0 0", "0.2 0 0"),),
            *(("knee_1", "continuous", "hip_2_link", "0 1 0", "0.2 0 0"),),
            *(("knee_2", "prismatic", "knee_1_link", "0 0 1", "0.1 0 0"),),
        ],
        [("knee_2_link", "sphere")],
        LIMITS,
    ),
}
BOUNCY = {"*": {"limits": [-0.5, 0.5], "restitution": 0.5}}
for name in ("arm", "biped"):
    ROBOTS[f"bouncy {name}"] = (*ROBOTS[name][:3], BOUNCY)
SOLE = [[x, y, -0.1] for x in (-0.05, 0.06) for y in (-0.03, 0.04)]


def made(folder: Path, name):
    """Write a robot; return the path of its file."""
    rng = np.random.default_rng(len(name))
    base, joints, feet, dynamics = ROBOTS[name]
    links = [link("base", rng, 2.0), *(link(f"{j[0]}_link", rng, 0.5) for j in joints)]
    tied = [JOINT.format(name=n, kind=k, parent=p, axis=a, at=at) for n, k, p, a, at in joints]
    text = "".join((*links, *tied))
    (folder / "robot.urdf").write_text(f'<robot name="{name}">{text}</robot>')
    lines = [f'base = "{base}"', "[model]", 'file = "robot.urdf"']
    for frame, kind in feet:
        shape = "radius = 0.06" if kind == "sphere" else f"points = {SOLE}"
        lines += ["[[contact_features]]", f'frame = "{frame}"', f'kind = "{kind}"', shape]
    for joint, table in dynamics.items():
        lines += [f'[joint_dynamics."{joint}"]', toml(table)]
    (folder / "robot.toml").write_text("\n".join(lines))
    return folder / "robot.toml"


def world(body=None, terrain=None, **more):
    """Return tables of a scene of one made robot, which may have others beside it."""
    ground = {"plugin": "plane", "friction": 0.5, **(terrain or {})}
    bodies = {"it": {"robot": "made", **(body or {})}, **more.pop("bodies", {})}
    return {
        "simulation": {"time_step": 1e-3},
        "world": {"terrain": ground},
        **more,
        "bodies": bodies,
    }


def holds(stiffness=50.0, damping=1.0, **more):
    """Return the table of a controller that holds a posture."""
    return {"plugin": "posture", "stiffness": stiffness, "damping": damping, **more}


BOX = {"shape": {"type": "box", "size": [0.2, 0.1, 0.1]}, "mass": 1.5, "friction": 0.4}
BALL = {"shape": {"type": "sphere", "radius": 0.08}, "density": 500.0, "restitution": 0.4}
NO_PAIRS = {"collisions": {"detect": False}}
POSED = {"target": {"hip_l": 0.3, "knee_l": -0.5}}
STAND = {"base_position": [0.0, 0.0, 0.5]}
EXACT = {"contact": {"plugin": "coulomb", "tolerance": 1e-12}}
COUPLED = {"joints": ["joint1", "joint2"], "torque_limit": 1.0}
COUPLED |= {"coupling": [[1.0, 0.0], [-0.5, 0.5]]}
DC = {"joints": ["joint1"], "plugin": "dc_motor", "voltage": 6.0}
DC |= {"torque_constant": 0.8, "resistance": 2.0}
SPRING = {"joints": ["joint2"], "plugin": "parallel_elastic", "stiffness": 10.0}
CUBE, RRBOT = "cube/sliding", "rrbot/swing"
KEY = "bodies.rrbot"

PLATE = {"shape": {"type": "box", "size": [0.4, 0.4, 0.1]}, "mass": 2.0, "friction": 0.5}
PLATE |= {"base_position": [0.0, 0.0, 0.049995]}
LIES = {"shape": {"type": "sphere", "radius": 0.1}, "mass": 1.0, "friction": 0.3}
LIES |= {"base_position": [0.013, -0.021, 0.19999]}
PAIR = {'"plate/ball"': {"friction": 0.2, "restitution": 0.3}}
TOUCHING = {
    "simulation": {"time_step": 1e-3},
    "world": {"terrain": {"plugin": "plane", "friction": 0.4}},
    "collisions": {"detect": True},
    "bodies": {"plate": PLATE, "ball": LIES},
}
EULER = {"integrator.plugin": "semi_implicit_euler"}

CASES = {
    "a ball slides on a plate": Case(TOUCHING, steps=1, v={6: 0.4, 7: 0.2, 11: 2.0}),
    "a pair's own friction": Case({**TOUCHING, "pairs": PAIR}, steps=1, v={6: 0.4, 11: 2.0}),
    "a ball strikes a plate": Case(
        {**TOUCHING, "pairs": PAIR}, steps=0, place={9: 0.20008}, v={6: 0.4, 8: -0.5, 11: 2.0}
    ),
    "a ball on hills": Case("ball/hills", steps=300, depth=PRESSED, spread=1e-4),
    "a ball on stairs": Case("ball/stairs", steps=400, depth=CORRECTED),
    "a coin rolls": Case("coin/rolling", change=EULER | EXACT, steps=200, depth=PRESSED),
    "a coin slides": Case(
        "coin/rolling", change=EULER | EXACT, steps=20, depth=CORRECTED, v={0: 0.7}
    ),
    "a cube on a belt": Case("cube/conveyor", steps=50, depth=PRESSED),
    "a cube slides": Case(CUBE, depth=PRESSED, spread=0.01, v={0: 1.0}),
    "a cube slides and turns": Case(CUBE, depth=PRESSED, v={0: 0.5, 1: 0.1, 2: 0.0, 5: 4.0}),
    "a cube is corrected": Case(CUBE, depth=CORRECTED, v={0: 0.4, 5: 1.0}),
    "a cube is deep and tilted": Case(CUBE, depth=DEEP, v={0: 0.2, 5: 3.0}, tilt=(0.02, 0.03, 0.4)),
    "a cube stands on an edge": Case(CUBE, depth=CORRECTED, tilt=(0.3, 0.0, 0.2), v={0: 0.0}),
    "a cube sticks": Case(CUBE, depth=PRESSED, spread=1e-4, v={0: 0.0}),
    "a cube without friction": Case(
        CUBE, change={"bodies.cube.friction": 0.0}, depth=PRESSED, v={0: 0.7, 5: 1.0}
    ),
    "a cube slides from a patch": Case(
        CUBE,
        change={"world.terrain.patches": [{"x": [-1.0, 1.0], "friction": 0.2}]},
        place={0: 5.0},
        depth=PRESSED,
        v={0: 0.5},
    ),
    "pairs and single contacts": Case(
        CUBE,
        change={
            "pairs": {"cube/terrain": {"friction": 0.3, "restitution": 0.1}},
            "bodies.cube.contacts": {"*0": {"friction": 0.9}},
        },
        depth=CORRECTED,
        v={0: 0.4, 5: 1.0},
    ),
    "a cube leaves the ground": Case(CUBE, depth=DEEP, v={2: 1.0}, spread=3.0),
    "a cube in long steps": Case(
        CUBE, change={"simulation.time_step": 0.02}, depth=CORRECTED, spread=2.0
    ),
    "parts of a step": Case(
        "cube/drop",
        change={"simulation.substeps": 4},
        depth=-2e-4,
        v={2: -0.5},
        tilt=(0.2, 0.3, 0.0),
    ),
    "a cube flies": Case("cube/drop", spread=2.0),
    "a cube strikes": Case("cube/drop", depth=-2e-4, v={2: -0.5}, tilt=(0.2, 0.3, 0.0)),
    "a cube strikes and bounces": Case(
        "cube/drop",
        change={"bodies.cube.restitution": 0.4},
        depth=-2e-4,
        v={0: 0.3, 2: -0.7},
        tilt=(0.2, 0.1, 0.0),
    ),
    "a ball rolls": Case("ball/rolling", depth=PRESSED, v={0: 0.5, 4: 5.0}),
    "a ball slides and spins": Case("ball/rolling", depth=CORRECTED, v={0: 1.0, 4: -2.0, 5: 6.0}),
    "a ball bounces": Case("ball/bounce", depth=-3e-4, v={0: 0.5, 2: -1.0, 4: 3.0}),
    "a tilted ground": Case(
        CUBE,
        change={"world.terrain.normal": [0.1, -0.2, 1.0], "world.gravity": [0.5, 1.0, -9.0]},
        depth=PRESSED,
        tilt=(0.1974, 0.0985, 0.0),
        v={0: 0.3, 2: 0.0},
    ),
    "icub stands": Case("icub/standing", depth=PRESSED, spread=1e-3),
    "icub slides": Case(
        "icub/standing", change={"world.terrain.friction": 0.3}, depth=PRESSED, v={0: 0.4, 5: 0.6}
    ),
    "motors of icub": Case("icub/motors", depth=CORRECTED, spread=1e-3),
    "humanoid pushed": Case("humanoid/pushed", steps=1050, depth=PRESSED),
    "quadruped slides": Case("quadruped/standing", depth=PRESSED, v={0: 0.3, 1: 0.2}, spread=0.01),
    "quadruped strikes": Case("quadruped/standing", depth=-1e-4, v={2: -0.3}, spread=0.1),
    "quadruped trots": Case("quadruped/trot", steps=60, depth=PRESSED),
    "double pendulum": Case(RRBOT, spread=1.0, bend=0.5),
    "motors rub": Case(
        RRBOT,
        change={f"{KEY}.actuators": [{**MOTOR, "coulomb_friction": 0.3}]},
        spread=0.5,
        bend=0.5,
    ),
    "a motor holds by friction": Case(
        RRBOT, change={f"{KEY}.actuators": [{**MOTOR, "coulomb_friction": 8.0}]}, steps=2
    ),
    "motors are saturated": Case(
        RRBOT,
        change={
            f"{KEY}.actuators": [{**MOTOR, "torque_limit": 5.0, "speed_limit": 20.0}],
            f"{KEY}.controller": holds(100.0, 1.0, target={"joint1": 0.1, "joint2": 0.3}),
        },
        spread=0.5,
        bend=0.3,
    ),
    "DC motors are cut": Case(
        RRBOT,
        change={
            f"{KEY}.actuators": [DC, SPRING],
            f"{KEY}.controller": holds(100.0, 1.0, target={"joint1": 0.1, "joint2": 0.3}),
        },
        spread=0.5,
        bend=1.0,
    ),
    "commands come late": Case(
        RRBOT, change={f"{KEY}.controller": holds(20.0, 1.0, delay=2e-3)}, spread=0.3, steps=8
    ),
    "commands are rare": Case(
        RRBOT,
        change={f"{KEY}.controller": holds(20.0, 1.0, rate=200.0)},
        spread=0.3,
        steps=7,
        fresh=True,
    ),
    "gains of zero": Case(
        RRBOT, change={f"{KEY}.controller": holds(0.0, 0.0)}, spread=0.3, bend=0.3
    ),
    "a stiffness of zero": Case(
        RRBOT, change={f"{KEY}.controller": holds(0.0, 2.0)}, spread=0.3, bend=0.3
    ),
    "box in a plane slides": Case(
        "planar_box/drop", change=EXACT, depth=PRESSED, v={0: 0.3}, spread=0.0
    ),
    "box in a plane strikes": Case(
        "planar_box/drop", change=EXACT, depth=-1e-4, place={2: 0.3}, v={1: -0.4}
    ),
    "torques of some joints": Case(
        RRBOT,
        change={f"{KEY}.controller": holds(20.0, 1.0)},
        spread=0.3,
        tau=1.0,
        joints=("joint2",),
    ),
    "torques that motors cut": Case(
        RRBOT,
        change={f"{KEY}.actuators": [{**MOTOR, "torque_limit": 1.0}]},
        spread=0.3,
        tau=3.0,
    ),
    "torques on the line of a motor's speed": Case(
        RRBOT,
        change={f"{KEY}.actuators": [{**MOTOR, "torque_limit": 5.0, "speed_limit": 4.0}]},
        v={0: 2.5, 1: -1.0},
        tau=4.0,
    ),
    "torques that coupled motors cut": Case(
        RRBOT,
        change={f"{KEY}.actuators": [COUPLED]},
        spread=1.0,
        tau=3.0,
    ),
    "torques of DC motors and springs": Case(
        RRBOT,
        change={f"{KEY}.actuators": [DC, SPRING], f"{KEY}.controller": holds(9.0, 0.0)},
        spread=1.0,
        tau=0.5,
    ),
    "torques in an impact": Case(
        world({**STAND, "actuators": [{"joints": ["*"], "torque_limit": 2.0}]}),
        "biped",
        depth=-3e-4,
        v={2: -0.6},
        spread=0.1,
        tau=4.0,
    ),
    "panda": Case("panda/pushing", change=NO_PAIRS, spread=0.1, bend=0.05),
    "biped stands": Case(
        world({**STAND, "controller": holds(**POSED)}), "biped", depth=CORRECTED, spread=0.01
    ),
    "biped slides": Case(
        world({**STAND, "controller": holds(feed_forward={"hip_l": 1.0}), "mass_scale": 1.3}),
        "biped",
        depth=PRESSED,
        spread=0.05,
        v={0: 0.5, 1: 0.3},
    ),
    "biped flies": Case(
        world({**STAND, "controller": holds()}), "biped", depth=-0.1, spread=1.0, bend=0.3
    ),
    "biped strikes": Case(
        world({**STAND, "controller": holds()}), "biped", depth=-3e-4, v={2: -0.6}, spread=0.1
    ),
    "ball joint": Case(world(STAND), "ball_jointed", depth=CORRECTED, spread=0.3, bend=0.3),
    "hopper slides at its stop": Case(
        world(controller_of := {"controller": holds()}),
        "hopper",
        depth=PRESSED,
        place={3: 0.05 + 1e-6},
        v={0: 0.3, 1: 0.0, 2: 0.0, 3: 0.2},
    ),
    "hopper strikes": Case(
        world(controller_of), "hopper", depth=-2e-4, v={1: -0.5}, place={3: -0.05 - 1e-6}
    ),
    "arm at its limits": Case(
        world({"controller": holds()}),
        "arm",
        place={0: 0.5 + 1e-6, 1: 0.4999, 2: -1.0 - 2e-6, 3: 0.1},
        v={0: 0.1, 1: 0.3, 2: -0.2, 3: 0.05},
    ),
    "arm far beyond its limits": Case(
        world({"controller": holds()}),
        "arm",
        place={0: 0.52, 1: -0.53, 2: -1.1, 3: 0.201},
        spread=0.1,
    ),
    "an arm bounces at two limits": Case(
        world({"controller": holds()}),
        "bouncy arm",
        place={0: 0.5 - 1e-4, 1: -0.5 + 2e-4, 2: -0.3, 3: 0.1},
        v={0: 1.0, 1: -0.6, 2: -0.2, 3: 0.05},
    ),
    "a hip bounces in a stance": Case(
        world({**STAND, "controller": holds()}),
        "bouncy biped",
        depth=PRESSED,
        place={8: 0.5 - 1e-4},
        v={7: 1.5},
        spread=0.03,
    ),
    "several bodies": Case(
        world(
            {**STAND, "controller": holds()},
            bodies={
                "box": {**BOX, "base_position": [1.0, 0.0, 0.05 - PRESSED]},
                "ball": {**BALL, "base_position": [2.0, 0.0, 0.08 - CORRECTED]},
            },
            **NO_PAIRS,
        ),
        "biped",
        depth=CORRECTED,
        steps=1,
        spread=0.1,
    ),
    "an object with its mass off the middle": Case(
        world(
            {**STAND, "fixed": False},
            bodies={
                "box": {
                    **BOX,
                    "center_of_mass": [0.02, 0.01, -0.01],
                    "base_position": [1.0, 0.0, 0.05],
                }
            },
            **NO_PAIRS,
        ),
        "ball_jointed",
        depth=-0.1,
        spread=0.5,
    ),
    "arm on the ground": Case(
        world({"controller": holds(), "base_position": [0.0, 0.0, -0.2]}),
        "arm",
        steps=50,
        spread=0.01,
    ),
    "arm that is pushed": Case(
        {
            **world({"controller": holds()}),
            "pushes": [{"body": "it", "link": "knee_1_link", "force": [3.0, -2.0, 1.0]}],
        },
        "arm",
        spread=0.1,
    ),
    "biped in a long step": Case(
        world({**STAND, "controller": holds(500.0, 20.0)}),
        "biped",
        change={"simulation.time_step": 0.01},
        depth=3e-4,
        v={2: 0.6, 5: 1.0},
        spread=0.5,
        tilt=(0.01, 0.02, 0.0),
    ),
    "ground that moves": Case("cube/conveyor", steps=50, spread=0.01),
    "a platform that shakes": Case("cube/shaken", steps=50, spread=0.01),
    "hills": Case("ball/hills", steps=300, spread=0.05),
    "stairs": Case("ball/stairs", steps=100, spread=0.05),
    "a rim rolls": Case("coin/rolling", steps=20, spread=0.01),
    "bodies that touch": Case(
        world(
            STAND,
            bodies={
                "box": {**BOX, "base_position": [1.0, 0.0, 0.05]},
                "ball": {**BALL, "base_position": [1.0, 0.0, 0.18]},
            },
        ),
        "ball_jointed",
        steps=10,
        spread=0.02,
    ),
    "law regularized": Case(
        CUBE, change={"contact": {"plugin": "regularized"}}, depth=5e-4, v={0: 0.4}
    ),
    "law compliant": Case("ball/rolling", change={"contact": {"plugin": "compliant"}}, depth=5e-4),
    "law mujoco_soft": Case(
        CUBE,
        change={"contact": {"plugin": "mujoco_soft", "inverse_weight": 2.0, "tolerance": 1e-14}},
        depth=5e-4,
        v={0: 0.4, 5: 1.0},
    ),
    "pushed": Case(
        {
            **world({**STAND, "controller": holds()}),
            "pushes": [
                {"body": "it", "link": "knee_l_link", "force": [3.0, -2.0, 1.0], "frame": "link"}
            ],
        },
        "biped",
        depth=CORRECTED,
        spread=0.01,
    ),
    "motors of all kinds": Case(
        world(
            {
                "controller": holds(),
                "actuators": [
                    {
                        "joints": ["hip_1"],
                        "plugin": "dc_motor",
                        "voltage": 6.0,
                        "torque_constant": 0.8,
                        "resistance": 2.0,
                    },
                    {
                        "joints": ["hip_2"],
                        "plugin": "series_elastic",
                        "stiffness": 100.0,
                        "rotor_inertia": 1e-2,
                    },
                    {"joints": ["knee_1"], "plugin": "parallel_elastic", "stiffness": 10.0},
                    {"joints": ["knee_2"], "plugin": "second_order", "natural_frequency": 200.0},
                ],
            }
        ),
        "arm",
        spread=0.3,
        bend=0.05,
    ),
}
MIDDLE = (
    *("a ball slides on a plate", "a ball bounces", "a cube is corrected", "a cube on a belt"),
    *("a cube leaves the ground", "icub stands", "double pendulum", "biped flies", "biped strikes"),
    *("ball joint", "hopper slides at its stop", "an arm bounces at two limits", "law regularized"),
)
for name in MIDDLE:
    settings = CASES[name].change | {"integrator.plugin": "moreau_midpoint"}
    CASES[f"{name}, by its midpoint"] = replace(CASES[name], change=settings)
