"""The world: a list of trees on packed arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from footfall.config.friction import NO_DIRECTION, direction_row, direction_rows, largest
from footfall.interfaces.terrain import TerrainSample
from footfall.jit.tables import allocated, read_only
from footfall.model.contact_features import ContactFeature, Foot
from footfall.problem.arrays import ProblemArrays, allocate
from footfall.typing import Floats, Ints
from footfall.world.arrays import PANEL, Candidates, Dynamics, Ground, Joints, Sides, Topology
from footfall_stepper.world.body import Body
from footfall_stepper.world.collider import Collider
from footfall_stepper.world.collision_arrays import ENVIRONMENT, NO_ROOM, Room, contact_key
from footfall_stepper.world.joint_rows import joint_rows
from footfall_stepper.world.loop_arrays import closed_trees, loop_arrays, row_names, starts
from footfall_stepper.world.step_arrays import PRESCRIBED, Detected, PushArrays, SurfaceArrays

KINDS = {"point": 0, "sphere": 1, "rim": 2}
SPARE_PUSHES = 32
"""Number of wrenches that Python can add between two steps."""
RIM_POINTS = 3
"""Candidates of a rim: its lowest point and two a third of a turn away, for a flat rim."""


class World:
    """The bodies and their packed arrays.

    Bodies with an engine come first, then free bodies, then those with a prescribed motion.

    Attributes:
        bodies: in the order of the packed arrays.
        topology, joints, dynamics, candidates, detected, sides: see ``footfall.world.arrays`` and
            ``world.step_arrays``.
        collider: finds contacts between bodies; None: they touch only the ground.
        room: room reserved for such contacts.
        loops: see ``footfall_stepper.world.loop_arrays``.
        sample: the terrain's sample at the candidates' query points; ``ground`` are its arrays.
        problem: storage of the contact problem.
        pushes: the pushes on the bodies over the next step.
        contact_names: one per candidate, ``body/feature``.
        foot_names: one per frame in which contact features are given, ``body/frame``.
        loop_names: one per row of a closed loop, ``body/loop/axis``.
        joint_rows: limits, friction and backlash, see ``footfall_stepper.world.joint_rows``.
        metre: length of a metre in the scene's units.
        moments: whether contacts may have torsional or rolling friction.
        directed: whether friction of a contact depends on the direction.
        surfaces: velocities of surfaces along their bodies; None if there are neither surfaces
            nor bodies that move by themselves.
        joint_row_names: one per row, ``body/joint/lower`` or ``body/coupling/backlash_lower``.
    """

    _shown: World | None

    def __init__(
        self,
        bodies: Sequence[Body],
        gravity: Floats,
        collider: Collider | None = None,
        lengths: Callable[[Body, ContactFeature], tuple[float, float]] | None = None,
        surfaces: SurfaceArrays | None = None,
        metre: float = 1.0,
    ) -> None:
        self.metre, self._shown = metre, None
        self.bodies = in_order(bodies)
        self.topology = Topology._make(a.view() for a in _topology(self.bodies, gravity))
        nv = int(self.topology.tree_v[-1])
        self.joints = _joints(self.bodies, nv)
        for index, body in enumerate(self.bodies):
            at = slice(
                int(self.topology.tree_v[index]) + body.joint_offset,
                int(self.topology.tree_v[index + 1]),
            )
            self.joints.armature[at] = body.armature
            self.joints.damping[at] = body.damping
        self.dynamics = _dynamics(self.topology)
        feet = _feet(self.bodies)
        self.foot_names = tuple(feet)
        self.collider = collider
        links = () if collider is None else collider.links
        self.candidates, self.contact_names = _candidates(self.bodies, self.topology, feet, links)
        n = len(self.contact_names)
        self.moments = lengths is not None
        if lengths is not None:
            every = [(b, f) for b in self.bodies for f in b.features for _ in _expand(f)]
            found = np.array([lengths(*one) for one in every]).reshape(n, 2)
            self.candidates = self.candidates._replace(lengths=found, moment=np.zeros((n, 3)))
        self.surfaces = surfaces
        self.sample = sample = TerrainSample.allocate(n)
        self.ground = Ground(
            sample.gap, sample.normal, sample.velocity, sample.friction, sample.restitution
        )
        self.joint_rows, self.joint_row_names = joint_rows(self.bodies, self.topology)
        self.loop_names = row_names(self.bodies)
        self.reserve(NO_ROOM)
        self.reserve_pushes(0)

    def reserve(self, room: Room) -> None:
        """Allocate the contact problem anew, with room for detected contacts.

        Replaces ``sides``, ``problem``, ``detected`` and ``loops``, and with ``surfaces`` the
        ground's velocities: kernels must open them again.
        """
        links = np.concatenate([self.candidates.link, self.joint_rows.link])
        self.room, self._shown = room, None
        n, turning = room.contacts, room.contacts if self.moments else 0
        directed = self.collider is not None and self.collider.directed
        self.directed = directed or len(self.candidates.directions) > 0
        rows = n if directed else 0
        sizes = {"lengths": (turning, 2), "directions": (rows, len(NO_DIRECTION))}
        nothing = np.full((n, 2), -1, np.int64)
        self.detected = allocated(Detected, n, link=nothing, moment=(turning, 3), **sizes)
        if self.moments:  # each contact may have two blocks, on the same links
            room = Room(2 * room.contacts, 2 * room.span, 4 * room.pairs)
            links = np.concatenate([self.candidates.link, links])
        if self.surfaces is not None:  # the ground's rows come first
            velocity = np.zeros((self.n_contacts + n, 3))
            self.sample = replace(self.sample, velocity=velocity[: self.n_contacts])
            self.ground = self.ground._replace(velocity=velocity)
        contacts = len(links) - len(self.joint_rows.link) + room.contacts
        self.problem = _problem(self.topology, links, contacts, room, self.moments)
        self.problem.metre[0] = self.metre
        blocks = len(links) + room.contacts
        if room.contacts == 0:
            self.loops = loop_arrays(self.bodies, self.topology, blocks)
        else:
            T = np.zeros(2 * 4 * blocks * int(self.loops.width[0]))
            self.loops = self.loops._replace(T=T, load=T.copy())
        self.sides = _sides(self.topology, links, room, int(self.loops.width[0]))

    def reserve_pushes(self, n: int) -> None:
        """Make room for n wrenches on links besides those that Python adds between steps."""
        n += SPARE_PUSHES
        size = {"effort": self.nv, "held": len(self.bodies)}
        self.pushes, self._shown = allocated(PushArrays, n, acting=3, wrench=(n, 6), **size), None

    @property
    def shown(self) -> World:
        """The same world with read-only views of the arrays, for all but the simulator."""
        if self._shown is None:
            self._shown = shown = ShownWorld.__new__(ShownWorld)
            shown._shown, shown.collider, shown._own = shown, self.collider, vars(self).copy()
        return self._shown

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return int(self.topology.tree_q[-1])

    @property
    def nv(self) -> int:
        """Number of velocity dofs."""
        return int(self.topology.tree_v[-1])

    @property
    def n_contacts(self) -> int:
        """Number of declared contact candidates."""
        return len(self.contact_names)

    @property
    def n_candidates(self) -> int:
        """Largest number of contacts of a problem: declared ones, and room for detected ones."""
        return len(self.contact_names) + self.room.contacts

    @property
    def n_rows(self) -> int:
        """Largest number of rows of the contact problem."""
        return (6 if self.moments else 3) * self.n_candidates + len(self.joint_row_names)

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links in the order of the pose array, ``body/link``."""
        return tuple(f"{b.name}/{link}" for b in self.bodies for link in b.model.link_names)

    @property
    def n_links(self) -> int:
        """Number of links."""
        return int(self.topology.tree_link[-1])

    @property
    def mass(self) -> float:
        """Total mass, [kg]."""
        return float(self.topology.mass.sum())

    def index(self, body: str) -> int:
        """Return the index of a body by name."""
        return [b.name for b in self.bodies].index(body)

    def q_slice(self, index: int) -> slice:
        """Return the positions of a body."""
        return slice(int(self.topology.tree_q[index]), int(self.topology.tree_q[index + 1]))

    def v_slice(self, index: int) -> slice:
        """Return the velocities of a body."""
        return slice(int(self.topology.tree_v[index]), int(self.topology.tree_v[index + 1]))

    def joint_slice(self, index: int) -> slice:
        """Return the joint dofs of a body among all velocities."""
        v = self.v_slice(index)
        return slice(v.start + self.bodies[index].joint_offset, v.stop)

    @property
    def joint_dofs(self) -> Ints:
        """Entries of the velocity that belong to joints, shape (n_joints,)."""
        slices = [self.joint_slice(index) for index in range(len(self.bodies))]
        return np.concatenate([np.arange(at.start, at.stop) for at in slices])

    @property
    def motors(self) -> Ints:
        """Numbers, among all joints, of those that torques may move: not a planar base's."""
        base = [k < 3 and b.planar for b in self.bodies for k in range(len(b.model.joint_names))]
        return np.flatnonzero(~np.array(base, bool))


class ShownWorld(World):
    """A world whose arrays are read-only views, which are made when they are first asked for."""

    _own: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name == "_own" or name not in self._own:
            raise AttributeError(f"World has no attribute {name!r}")
        return vars(self).setdefault(name, read_only(self._own[name]))


def in_order(bodies: Sequence[Body]) -> tuple[Body, ...]:
    """Return bodies in the order of a world's arrays: those with an engine first."""
    return tuple(sorted(bodies, key=lambda body: body.kind))


def _chain(body: Body, link: int) -> list[int]:
    """Return the dofs from the root to a link."""
    dof, chain = int(body.model.link_dof[link]), []
    while dof >= 0:
        chain.append(dof)
        dof = int(body.model.dof_parent[dof])
    return chain[::-1]


def _wide(body: Body) -> bool:
    """Return whether rows of a body have a place for every dof: see ``kernels.loops.eliminate``."""
    held = body.tree is None or body.model.base != "floating" or 2 in closed_trees([body])
    return body.dense or bool(body.backlash) or (bool(body.loops) and held)


def _root(body: Body) -> tuple[int, Floats]:
    """Return the link that carries the robot's root, and the root's frame in it, (12,)."""
    if body.root is None:
        return 0, np.append(np.eye(3).ravel(), np.zeros(3))
    return body.root.link, np.append(body.root.rotation.T.ravel(), body.root.translation)


def _shared(spans: Sequence[list[int]]) -> Ints:
    """Return the number of leading dofs shared by the spans of each two links, (links, links)."""
    longest = max(map(len, spans))
    table = np.array([span + [-1] * (longest - len(span)) for span in spans], np.int64)
    rows = [((table == row) & (row >= 0)).cumprod(axis=1).sum(axis=1) for row in table]
    return np.array(rows, np.int64)


def _topology(bodies: Sequence[Body], gravity: Floats) -> Topology:
    models = [body.model for body in bodies]
    chains = [_chain(body, link) for body in bodies for link in range(body.model.n_links)]
    links = [body for body in bodies for _ in body.model.link_names]
    spans = [
        list(range(body.model.nv)) if _wide(body) else chain
        for body, chain in zip(links, chains, strict=True)
    ]
    dof_q: list[int] = []
    q_start, link_start = starts([m.nq for m in models]), starts([m.n_links for m in models])
    for model, first in zip(models, q_start[:-1], strict=True):
        base = 6 if model.base == "floating" else 0
        coordinates = 7 if model.base == "floating" else 0
        dof_q += [-1] * base
        dof_q += [int(first) + coordinates + k for k in range(model.nv - base)]
    shared = [_shared(spans[first:end]) for first, end in pairwise(link_start)]
    return Topology(
        tree_q=q_start,
        tree_v=starts([m.nv for m in models]),
        tree_link=link_start,
        tree_M=starts([m.nv**2 for m in models]),
        floating=np.array([m.base == "floating" for m in models], np.int64),
        free=np.array([body.kind for body in bodies], np.int64),
        dof_parent=np.concatenate(
            [np.arange(-1, b.model.nv - 1) if b.dense else b.model.dof_parent for b in bodies]
        ).astype(np.int64),
        wide=np.array([_wide(body) for body in bodies], np.int64),
        dof_q=np.array(dof_q, np.int64),
        root_link=np.array([_root(b)[0] for b in bodies], np.int64) + link_start[:-1],
        root_frame=np.array([_root(b)[1] for b in bodies]),
        link_tree=np.repeat(np.arange(len(models)), [m.n_links for m in models]).astype(np.int64),
        link_dof=np.concatenate([m.link_dof for m in models]).astype(np.int64),
        chain_start=starts([len(chain) for chain in chains]),
        chain=np.array([dof for chain in chains for dof in chain], np.int64),
        closed=closed_trees(bodies),
        span_start=starts([len(span) for span in spans]),
        span=np.array([dof for span in spans for dof in span], np.int64),
        shared_row=starts([len(row) for rows in shared for row in rows])[:-1]
        - np.repeat(link_start[:-1], [m.n_links for m in models]),
        shared=np.concatenate([rows.ravel() for rows in shared]),
        mass=np.concatenate([m.link_mass for m in models]),
        com=np.concatenate([m.link_com for m in models]),
        inertia=np.concatenate([m.link_inertia for m in models]),
        gravity=np.asarray(gravity, float),
    )


def _joints(bodies: Sequence[Body], nv: int) -> Joints:
    couplings = [(body.joint_offset, c) for body in bodies for c in body.couplings]
    return allocated(
        Joints,
        nv,
        coupling_start=starts([len(body.couplings) for body in bodies]),
        coupling=np.array(
            [(first + c.row, first + c.column) for first, c in couplings], np.int64
        ).reshape(-1, 2),
        coupling_inertia=np.array([c.inertia for _, c in couplings], float),
        coupling_damping=np.array([c.damping for _, c in couplings], float),
    )


def _dynamics(topology: Topology) -> Dynamics:
    nv, links = int(topology.tree_v[-1]), int(topology.tree_link[-1])
    blocks = int(topology.tree_M[-1])
    # The factor of prescribed bodies is infinite: no impulse moves them.
    moved = topology.free == PRESCRIBED
    L = np.zeros(blocks)
    for at in topology.tree_M[:-1][moved]:
        L[at : at + 36 : 7] = np.inf
    return allocated(
        Dynamics,
        nv,
        M=blocks,
        L=L,
        S=(nv, 6),
        pose=np.tile(np.concatenate([np.eye(3).ravel(), np.zeros(3)]), (links, 1)),
        twist=(links, 6),
        free_twist=(links, 6),
        bias_acceleration=(links, 6),
        before=2 * nv + 6,
        airborne=len(topology.free),
        moved=(nv + 2, 19),
        total=38,
        scale=np.where(np.repeat(moved, np.diff(topology.tree_v)), 0.0, 1.0),
        energy=8,
        start_q=int(topology.tree_q[-1]),
        start_momentum=(len(topology.free), 12),
        start_energy=1,
    )


def _expand(feature: ContactFeature) -> list[tuple[str, float]]:
    """Return the names and phases of a feature's candidates."""
    if feature.kind != "rim":
        return [(feature.name, 0.0)]
    return [(f"{feature.name}/{k}", 2.0 * np.pi * k / RIM_POINTS) for k in range(RIM_POINTS)]


def _feet(bodies: Sequence[Body]) -> dict[str, tuple[int, Foot]]:
    """Return the index of the body and the foot by name, in the order of the features."""
    return {
        f"{body.name}/{feature.foot.name}": (index, feature.foot)
        for index, body in enumerate(bodies)
        for feature in body.features
        if feature.foot is not None
    }


def _candidates(
    bodies: Sequence[Body],
    topology: Topology,
    feet: Mapping[str, tuple[int, Foot]],
    colliding: Sequence[int],
) -> tuple[Candidates, tuple[str, ...]]:
    number = {name: k for k, name in enumerate(feet)}
    rows = [
        (
            f"{body.name}/{name}",
            int(topology.tree_link[index]) + feature.link,
            feature,
            phase,
            -1 if feature.foot is None else number[f"{body.name}/{feature.foot.name}"],
        )
        for index, body in enumerate(bodies)
        for feature in body.features
        for name, phase in _expand(feature)
    ]
    n = len(rows)
    features = [row[2] for row in rows]
    link = np.array([row[1] for row in rows], np.int64)
    # Geometry 0 is the terrain; a feature is a geometry, the points along a rim are its features.
    keys = [
        contact_key(ENVIRONMENT, 1 + number, point)
        for number, feature in enumerate(f for body in bodies for f in body.features)
        for point in range(len(_expand(feature)))
    ]
    candidates = allocated(
        Candidates,
        n,
        key=np.array(keys, np.int64),
        links=np.unique(np.concatenate([link, np.array(colliding, np.int64)])),
        link=link,
        kind=np.array([KINDS[f.kind] for f in features], np.int64),
        local=np.array([f.position for f in features], float).reshape(n, 3),
        axis=np.array([f.axis for f in features], float).reshape(n, 3),
        radius=np.array([f.radius for f in features], float),
        phase=np.array([row[3] for row in rows], float),
        friction=np.array([largest(f.friction) for f in features], float),
        restitution=np.array([f.restitution for f in features], float),
        pair_friction=np.full(n, np.nan),
        pair_restitution=np.full(n, np.nan),
        lengths=np.zeros((0, 2)),
        directions=direction_rows([direction_row(f.friction, f.rotation) for f in features]),
        moment=np.zeros((0, 3)),
        lowered=np.zeros(1),
        foot=np.array([row[4] for row in rows], np.int64),
        foot_link=np.array(
            [int(topology.tree_link[index]) + foot.link for index, foot in feet.values()], np.int64
        ),
        foot_frame=np.array(
            [np.append(f.pose.rotation.T.ravel(), f.pose.translation) for _, f in feet.values()]
        ).reshape(len(feet), 12),
        foot_pose=(len(feet), 12),
    )
    return candidates, tuple(row[0] for row in rows)


def _sides(topology: Topology, links: Ints, room: Room, coordinates: int) -> Sides:
    """Allocate for blocks on all these links at once, and for detected contacts.

    ``coordinates``: largest number of rows of a tree's loops.
    """
    n, dofs = len(links) + room.contacts, int(np.diff(topology.tree_v).max(initial=0))
    return allocated(
        Sides,
        n,
        link=np.full((n, 2), -1, np.int64),
        start=(n, 2),
        Z=4 * (int(np.diff(topology.span_start)[links].sum()) + room.span),
        tree_start=len(topology.free) + 1,
        tree_block=2 * n,
        place=(n, 2),
        row=2 * n,
        panel=2 * ((dofs + coordinates) * PANEL + 4),
        group_link=2 * PANEL // 4,
        product=PANEL * PANEL,
    )


def _problem(
    topology: Topology, links: Ints, contacts: int, room: Room, moments: bool
) -> ProblemArrays:
    """Allocate for all contacts and joint rows at once: pairs only within trees."""
    n = len(links) + room.contacts
    _, counts = np.unique(topology.link_tree[links], return_counts=True)
    pairs = max(int((counts.astype(np.int64) ** 2).sum()), room.pairs)
    return allocate(n, 2 * contacts + n, pairs, 9 * pairs, moments=moments)
