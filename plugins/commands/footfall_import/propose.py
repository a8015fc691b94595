"""Conversion of a model into a proposed robot: base, feet, posture, limits, drives and gains."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from footfall import Robot
from footfall.api.advanced import ModelCoupling
from footfall.api.plugin import Floats, Registry, RobotError, RobotWarning
from footfall_import import checks
from footfall_import.checks import Finding, warned, worst_first
from footfall_import.choices import Wishes, named_posture, reference, said_base
from footfall_import.drives import (
    busiest,
    known_efforts,
    propose_drives,
    reflected,
    spring_torques,
)
from footfall_import.feet import (
    Foot,
    body_itself,
    check_buried,
    check_rollers,
    check_soles,
    drawn_wheels,
    find_feet,
    named_feet,
    shapes_of,
)
from footfall_import.locate import Located, free_name
from footfall_import.meshes.checks import check_meshes
from footfall_import.model import EARTH, Model
from footfall_import.proposal import Base, Facts, Proposal
from footfall_import.stance import UPRIGHT, Stance
from footfall_import.standing.gains import Joints, propose_gains
from footfall_import.standing.gait import plan
from footfall_import.standing.holding import holding_torques
from footfall_import.standing.posture import (
    OPEN,
    Loops,
    Standing,
    closable,
    follow_limits,
    gaps,
    height_of,
    judge,
    search,
)
from footfall_import.wheels import Roll, roll_of

SMALL = 1e-9
"""Torque below which no feed-forward is proposed, [N m or N]."""


def propose(located: Located, model: Model, wishes: Wishes, registry: Registry) -> Proposal:
    """Return the proposal of a robot.

    Raises:
        RobotError: if the engine cannot load the model, a mesh is unreadable, or a wanted foot or
            posture does not exist.
    """
    own = [  # a name that several bodies have is the robot's
        foot
        for foot in wishes.feet
        if foot in model.urdf.links or not any(foot in each.urdf.links for each in model.others)
    ]
    found = _Draft(located, model, replace(wishes, feet=tuple(own)), registry).proposal()
    companions: list[Proposal] = []
    for other in model.others:
        taken = {found.name, *(each.name for each in companions)}
        feet = tuple(foot for foot in wishes.feet if foot in other.urdf.links and foot not in own)
        itself = Wishes(name=free_name(other.root, taken), feet=feet)
        companion = propose(located, other, itself, registry)
        if model.gears and not other.gears:  # e.g. a door: the file drives the robot alone
            companion = replace(companion, stiffness={}, damping={}, feed_forward={}, targets={})
        companions.append(companion)
    taken = {found.name, *(each.name for each in companions)}
    names = {"": found.name} | {each.model.root: each.name for each in companions}
    objects = []
    for thing in model.objects:
        objects.append(replace(thing, name=free_name(thing.name, taken)))
        taken.add(objects[-1].name)
        names[thing.name] = objects[-1].name
    model = replace(found.model, objects=tuple(objects))
    return replace(found, companions=tuple(companions), model=model, names=names)


class _Draft:
    """A proposal under construction: the robot in its stance, and the findings."""

    def __init__(self, located: Located, model: Model, wishes: Wishes, registry: Registry) -> None:
        self.located, self.model, self.wishes = located, model, wishes
        self.findings = list(model.findings)
        self.named = named_posture(model, wishes.posture)
        self.base: Base
        self.base, self.base_origin = said_base(model, wishes)
        self.findings += checks.check_masses(model.urdf, root_moves=self.base != "fixed")
        self.findings += checks.check_joints(model.urdf)
        self.findings += checks.check_friction(model.urdf)
        self.findings += check_meshes(model.urdf, looks=not model.converted)
        if any(finding.level == "error" for finding in self.findings):
            raise UnsoundError(str(located.path), worst_first(self.findings))
        self.registry = registry
        self.unlimited: set[str] = set()
        self.stance = self._stance(self.base)
        self.shapes = shapes_of(model.urdf, self.stance)
        if self.shapes.drawn:
            text = "no chain ends in one: contact points are taken from the visuals"
            self.findings.append(Finding("warning", "collision shapes", text))
        self.reference = reference(self.model, self.stance, self.named)
        self.stance.place(self.reference)
        self.feet = self._feet()

    def proposal(self) -> Proposal:
        """Find the posture and everything that depends on it."""
        origin = self._stand()
        names = self.stance.model.joint_names
        rotors = reflected(self.model, names)
        holds = bool(names) and (not self.stance.base_dofs or bool(self.feet))
        followed = self._couplings()
        holding = np.zeros(len(names))
        if holds:
            springs = spring_torques(self.model, self.stance)
            holding = holding_torques(self.stance, self.feet, followed, springs)
        drives, weak = propose_drives(self.model, self.stance, holding)
        self.findings += weak
        K, D = self._gains(rotors, followed)
        facts = self._facts(rotors, holding)
        self.findings += check_soles(self.model.urdf, self.feet, self.stance)
        if self.wishes.feet:  # feet found by Footfall are the lowest links
            self.findings += check_buried(self.shapes, self.feet, self.stance)
        self.findings += check_rollers(self.shapes, self.feet, self.stance)
        self.findings += checks.check_condition(facts.condition)
        self.findings += checks.check_efforts(self.model.urdf, self._arms_length())
        self.findings += checks.check_loops(self.model.loops)
        pose = self.stance.link(0)
        posture = dict(zip(names, map(float, self.stance.joints), strict=True))
        joints = self.model.urdf.joints
        self._tell_height(facts.height)
        return Proposal(
            name=self.wishes.name or self.located.name,
            located=self.located,
            model=self.model,
            base=self.base,
            base_origin=self.base_origin,
            base_height=facts.height,
            rpy=pose.rpy if self.base != "fixed" else (0.0, 0.0, 0.0),
            posture={name: value for name, value in posture.items() if abs(value) > 1e-9},
            posture_origin=origin,
            soles=tuple(sole for foot in self.feet for sole in foot.soles),
            limited=tuple(
                name
                for name in names
                if checks.takes_limits(joints[name]) and name not in self.unlimited
            ),
            drives=drives,
            stiffness=K,
            damping=D,
            targets=self._targets(posture),
            feed_forward={
                name: float(torque)
                for name, torque in zip(names, holding, strict=True)
                if name in K and abs(torque) > SMALL
            },
            facts=facts,
            findings=tuple(worst_first(self.findings)),
            walk=plan(self.wishes.gait, self.stance, self.feet) if self.wishes.gait else None,
            roll=self._roll(),
        )

    def _tell_height(self, height: float) -> None:
        """Warn of a robot that the file puts well above the ground, perhaps on a thing."""
        start = self.model.start
        if self.model.objects and self.feet and self.base != "fixed" and start is not None:
            above = float(start.translation[2]) - self.model.ground - height
            if above > height:
                text = (
                    f"stands on the ground; the file has it {above:.3g} m higher: if it is on one "
                    f"of the file's things, set base_position in the scene"
                )
                self.findings.append(Finding("warning", "base", text))

    def _stance(self, base: Base) -> Stance:
        """Load the model with the default engine; narrow the limits of leading joints."""
        stance = self._loaded(base)
        for coupling in follow_limits(stance, self._couplings()):
            limits = self.model.urdf.joints[coupling.joint].limits
            text = (
                f"position limits {limits.lower:g} to {limits.upper:g} leave no range to follow "
                f"{coupling.of} times {coupling.ratio:g}: not used"
            )
            self.findings.append(Finding("warning", f'joint "{coupling.joint}"', text, lost=True))
            self.unlimited.add(coupling.joint)
        return stance

    def _loaded(self, base: Base) -> Stance:
        """Load the model with the default engine."""
        held: Base = "fixed" if base == "fixed" else "floating"  # the stance handles planes
        robot = Robot.from_urdf(self.located.name, self.model.urdf, held)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RobotWarning)
            source = robot.source(self.located.name, np.array(self.model.gravity))
            entry = self.registry.find("engine", self.registry.default("engine"))
            engine = entry.load()
            tree = engine(engine.Config()).load(source)
        self.findings += [warned(str(w.message)) for w in caught]
        if base == "planar":
            plane = self.model.start.rotation if self.model.start else np.eye(3)
            return Stance(tree, tuple(Rotation.from_matrix(plane).as_quat()), planar=True)
        quaternion = self.named.quaternion if self.named else None
        if quaternion is None and self.model.start is not None:
            quaternion = tuple(Rotation.from_matrix(self.model.start.rotation).as_quat())
        return Stance(tree, quaternion or UPRIGHT)

    def _feet(self) -> tuple[Foot, ...]:
        """Return the feet; without feet, a base that was not chosen becomes fixed."""
        if self.wishes.feet and self.base == "fixed":
            raise RobotError(f"--feet has no effect: the base is fixed, {self.base_origin}")
        if self.wishes.feet:
            feet = named_feet(self.wishes.feet, self.shapes, self.stance)
            self.base_origin = self.base_origin or "it stands on the given feet"
            return feet
        if self.base == "fixed":
            return ()
        if self.base_origin and not any(self.model.gravity):
            return ()  # without weight the robot does not stand
        if not self.model.urdf.movable:
            return body_itself(self.shapes, self.stance)
        feet = find_feet(self.shapes, self.stance, floats=bool(self.base_origin))
        feet, told = drawn_wheels(self.model.urdf, feet, self.stance)
        self.findings += told
        if feet:
            self.base_origin = self.base_origin or f"it has {len(feet)} feet below its base"
            return feet
        if not self.base_origin:
            self.base, self.base_origin = "fixed", "no two legs end below its base: taken as an arm"
            self.findings.append(Finding("note", "base", f"fixed: {self.base_origin} (--base)"))
            self.stance = self._stance("fixed")
            self.stance.place(reference(self.model, self.stance, self.named))
            return ()
        if self.stance.upright:
            self.findings.append(Finding("warning", "feet", "none found: name them with --feet"))
        return ()

    def _stand(self) -> str:
        """Put the robot into its starting posture; return the source of the posture."""
        reference = self.stance.joints.copy()
        origin = self.named.source if self.named else "zero positions, clamped to the limits"
        if not (self.feet and self.stance.path(self.feet[0].link)):
            return origin
        height = height_of(self.stance, self.feet)
        loops = closable(self.stance, self.model.loops)
        is_open = bool((np.abs(gaps(self.stance, loops)) > OPEN).any())
        if is_open or not judge(self.stance, self.feet).is_sound(height):
            found = search(self.stance, self.feet, reference, loops)
            moved = float(np.abs(found - reference).max())
            also = " and loops closed" if loops else ""
            origin += f", joints moved by at most {moved:.3f} rad so that all feet are level{also}"
            if not judge(self.stance, self.feet).is_sound(height):
                self._leave_out_toes(reference, loops)
        standing = judge(self.stance, self.feet)
        if not standing.is_sound(height_of(self.stance, self.feet)):
            self.findings.append(Finding("warning", "posture", _why_not(standing)))
        return origin

    def _roll(self) -> Roll | None:
        """Return a motion on the wheels of a floating robot, None without one."""
        if self.base != "floating":
            return None
        return roll_of(
            [(foot.link, sole) for foot in self.feet for sole in foot.soles], self.stance
        )

    def _leave_out_toes(self, reference: Floats, loops: Loops) -> None:
        """Use only feet that no other foot carries, if the robot then stands and did not before.

        Args:
            reference: shape (joints,), reference posture, [rad or m].
            loops: loop closures.
        """
        of, best = self.stance, self.stance.joints.copy()
        carried = {k for foot in self.feet for k in of.carried(foot.link)[1:]}
        feet = tuple(foot for foot in self.feet if foot.link not in carried)
        if self.wishes.feet or len(feet) == len(self.feet):
            return
        of.place(reference)
        search(of, feet, reference, loops)
        if not judge(of, feet).is_sound(height_of(of, feet)):
            of.place(best)
            return
        toes = [foot for foot in self.feet if foot.link in carried]
        deep = min(foot.lowest(of) for foot in feet) - min(toe.lowest(of) for toe in toes)
        where = "in the ground" if deep > 0.0 else "above it"
        text = f"not used as feet, {1e3 * abs(deep):.1f} mm {where}: no posture is level with them"
        names = ", ".join(toe.soles[0].link for toe in toes)
        self.findings.append(Finding("warning", names, text))
        self.feet = feet

    def _couplings(self) -> tuple[ModelCoupling, ...]:
        """Return the couplings of following joints."""
        return tuple(loop for loop in self.model.loops if isinstance(loop, ModelCoupling))

    def _gains(
        self, rotors: Floats, followed: tuple[ModelCoupling, ...]
    ) -> tuple[dict[str, float], dict[str, float]]:
        """Return stiffness and damping by joint; following joints have none."""
        names = self.stance.model.joint_names
        joints = self.model.urdf.joints
        sliding = [name for name in names if joints[name].type == "prismatic"]
        efforts = known_efforts(self.model, self._arms_length())
        K, D = propose_gains(self.stance, self.feet, Joints(sliding, rotors, efforts, followed))
        servos = self.model.servos
        ratios = any(servo.ratio for servo in servos.values())
        inertia = self._inertia_at_zero(rotors) if ratios else rotors
        for i, name in enumerate(names):
            if name in servos:
                K[i] = servos[name].stiffness
                D[i] = servos[name].damping
                D[i] += 2.0 * servos[name].ratio * np.sqrt(K[i] * inertia[i])
        led = [i for i, name in enumerate(names) if K[i] > 0.0 or D[i] > 0.0]
        return {names[i]: float(K[i]) for i in led}, {names[i]: float(D[i]) for i in led}

    def _inertia_at_zero(self, rotors: Floats) -> Floats:
        """Return the inertia that moves with each joint alone, all others free, at zero positions.

        It is ``1 / (M^-1)_ii``, shape (joints,), [kg m^2 or kg], as MuJoCo's damping ratios take.
        """
        at, n, stance = self.stance.joints.copy(), len(rotors), self.stance
        stance.place(np.zeros_like(at))
        dofs = [*stance.base_dofs, *range(stance.first, stance.model.nv)]
        M = stance.tree.M[np.ix_(dofs, dofs)].copy()
        stance.place(at)
        joints = range(len(dofs) - n, len(dofs))
        M[joints, joints] += rotors
        return np.array(1.0 / np.diag(np.linalg.inv(M))[joints])

    def _targets(self, posture: Mapping[str, float]) -> dict[str, float]:
        """Return the positions that servos hold; they move with joints that the import moves."""
        given = self.named.targets if self.named else {}
        moved = dict(zip(posture, self.stance.joints - self.reference, strict=True))
        return {name: at + float(moved[name]) for name, at in given.items() if name in moved}

    def _arms_length(self) -> float:
        """Return the weight of the robot times its largest extent, [N m]."""
        places = self.stance.tree.pose[:, 9:]
        extent = float(np.ptp(places, axis=0).max())
        return self.stance.model.mass * -EARTH[2] * extent

    def _facts(self, rotors: Floats, holding: Floats) -> Facts:
        stance, urdf = self.stance, self.model.urdf
        whole = stance.tree.M.copy()
        joints = range(stance.first, stance.model.nv)
        whole[joints, joints] += rotors
        condition = float(np.linalg.cond(whole)) if len(whole) else 1.0
        height = margin = 0.0
        if self.feet:
            lowest = min(foot.lowest(stance) for foot in self.feet)
            height = float(stance.link(0).translation[2]) - lowest
            margin = judge(stance, self.feet).margin
        elif self.model.start is not None:
            height = float(self.model.start.translation[2])
        busy, load = busiest(self.model, stance, holding)
        inertials = (link.inertial for link in urdf.links.values())
        mass = sum(one.mass for one in inertials if one is not None)
        n_links = len(urdf.links)
        return Facts(len(urdf.movable), n_links, mass, height, margin, condition, busy, load)


LISTED = 8
"""Number of further errors whose subjects a message names."""


class UnsoundError(RobotError):
    """A model with errors; carries all findings.

    Attributes:
        findings: worst first.
    """

    def __init__(self, file: str, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        errors = [finding for finding in findings if finding.level == "error"]
        first = f"{errors[0].subject}: {errors[0].text}"
        others = list(dict.fromkeys(finding.subject for finding in errors[1:]))
        rest = f" and {len(others) - LISTED} more" if len(others) > LISTED else ""
        more = f" (also: {', '.join(others[:LISTED])}{rest})" if others else ""
        super().__init__(f"{file}: {first}{more}")


def _why_not(standing: Standing) -> str:
    """Return the reason why a robot does not stand in the best posture found."""
    if standing.breadth == 0.0:
        return "its feet touch along a line or at a point: it cannot stand by holding a posture"
    if standing.margin <= 0.0:
        return f"the centre of mass is {-standing.margin:.3g} m outside the feet: it will fall"
    return (
        f"feet are tilted by {standing.tilt:.3g} rad, uneven by {standing.uneven:.3g} m, the "
        f"centre of mass is {standing.margin:.3g} m inside the feet's edge: it may not stand"
    )
