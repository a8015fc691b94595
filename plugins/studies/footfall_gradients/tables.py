"""Arrays that the derivative kernels read and write, and their tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np

from footfall.api.advanced import allocated
from footfall.api.kernels import (
    open_dynamics,
    open_joints,
    open_problem,
    open_sides,
    open_topology,
    opener,
)
from footfall.api.plugin import Floats1, Floats2, Ints1, Ints2

T = TypeVar("T")


class Tree(NamedTuple):
    """Velocity dofs of a world and the links that they carry.

    Attributes:
        parent: shape (nv,), dof before the joint of each, -1 at the root; the same for all dofs of
            a floating base.
        before: shape (nv,), dof whose links do not turn with each: its parent, or the last linear
            one of a prescribed body, whose velocity in the world is given.
        first, last: shape (nv,), first and last dof of each dof's joint.
        link_dof: shape (links,), last dof that moves the link, -1 if there is none.
        mass: shape (links,), [kg]; com: shape (links, 3), [m], link frame.
        inertia: shape (links, 9), about the centre of mass, link axes, row by row, [kg m^2].
    """

    parent: Ints1
    before: Ints1
    first: Ints1
    last: Ints1
    link_dof: Ints1
    mass: Floats1
    com: Floats2
    inertia: Floats2


class Motion(NamedTuple):
    """A configuration and its motion.

    Attributes:
        S: shape (nv, 6), twist of each dof at the world's origin, world axes.
        pose: shape (links, 12), rotation column-major, translation.
        velocity: shape (nv,); acceleration: shape (nv,); gravity: shape (3,), world.
        speed: shape (nv,), another velocity, for ``contact_changes``.
    """

    S: Floats2
    pose: Floats2
    velocity: Floats1
    acceleration: Floats1
    gravity: Floats1
    speed: Floats1


class Work(NamedTuple):
    """Scratch arrays, one row per dof.

    Attributes:
        V, A: shape (nv, 6), twist and acceleration, gravity subtracted, of the links after the dof.
        F: shape (nv, 6), wrench on these and on all that they carry.
        rate, second: shape (nv, 6), ``V_parent x S``, ``A_parent x S + V_parent x rate``.
        turn: shape (nv, 6), the change of A with the dof's velocity, without ``S x V``.
        inertia: shape (nv, 10), composite mass, mass times centre, and moments xx, xy, xz, yy, yz,
            zz about the origin; Q: shape (nv, 12), ``-I [V x] + [. x* I V] + [V x*] I``, see
            ``turning``.
        down, across: shape (nv, 6), ``I S``, ``Q' S``.
        six: shape (6, 6), scratch vectors of six numbers.
    """

    V: Floats2
    A: Floats2
    F: Floats2
    rate: Floats2
    second: Floats2
    turn: Floats2
    inertia: Floats2
    Q: Floats2
    down: Floats2
    across: Floats2
    six: Floats2


class Slopes(NamedTuple):
    """Results of ``inverse_dynamics``.

    Attributes:
        force: shape (nv,), the generalized force ``ID(q, v, a)``.
        dq, dv: shape (nv, nv), its derivatives; q in right-trivialised coordinates of the base.
    """

    force: Floats1
    dq: Floats2
    dv: Floats2


class Contacts(NamedTuple):
    """Contact points on the ground, or of two bodies.

    Attributes:
        link: shape (contacts, 2), links of body 1 (-1: fixed) and body 2.
        frame: shape (contacts, 9), directions of tangent, tangent, normal.
        position: shape (contacts, 3), the contact point.
        centre: shape (contacts, 3), the point with which it moves: itself, or a sphere's centre.
        impulse: shape (contacts, 3), contact frame.
        moment: shape (contacts, 3), moment in addition to the force's, world.
        follows: shape (contacts,), 1 if force and moment turn with body 2.
        lowered: shape (contacts,), 1 if the contact point stays on the ground, see ``Candidates``.
        varies: shape (contacts,), 1 if ``slope`` holds, 0 for a point (``centre``) on a plane.
        slope: shape (contacts, 42), 7 x 6, row by row: change of position, rotation of the frame
            and change of the gap with a motion of body 2 relative to body 1: its velocity at the
            contact point, and its rotation; world.
        flow: shape (contacts, 3), velocity of a moving ground or surface, world, [m/s].
        drift: shape (contacts, 21), its change, 3 x 7, row by row, as in ``slope``; then with the
            length of the part.
        course: shape (contacts, 10 n), row by row, change of position, rotation of the frame, gap
            and flow with n parameters; empty if none of these moves contacts.
        flows: shape (contacts,), 1 if flow and drift count; 0: the ground is taken to rest.
    """

    link: Ints2
    frame: Floats2
    position: Floats2
    centre: Floats2
    impulse: Floats2
    moment: Floats2
    follows: Ints1
    lowered: Floats1
    varies: Ints1
    slope: Floats2
    flow: Floats2
    drift: Floats2
    course: Floats2
    flows: Floats1


class Changes(NamedTuple):
    """Results of ``contact_changes``.

    Attributes:
        J: shape (3 contacts, nv), velocity of the contact points for unit velocities.
        dJv: shape (3 contacts, nv), derivative of ``J speed`` with respect to q.
        gap: shape (contacts, nv), derivative of the gap.
        push: shape (nv, nv), derivative of ``J' impulse``.
        by_p, gap_by_p, push_by_p: shape (3 contacts, n), (contacts, n), (nv, n), derivatives of
            the velocities, gaps and forces by n parameters, see ``Contacts.course``.
        longer: shape (3 contacts,), derivative of the velocities by the length of the part.
    """

    J: Floats2
    dJv: Floats2
    gap: Floats2
    push: Floats2
    by_p: Floats2
    gap_by_p: Floats2
    push_by_p: Floats2
    longer: Floats1


class Parameters(NamedTuple):
    """Derivatives of numbers of the world by parameters, along the last axis.

    Attributes:
        gravity: shape (3, n); friction, restitution: shape (contacts, n).
        stiffness, damping, rate_gain, target, target_rate, armature: shape (nv, n).
        bound: shape (joint rows, n), derivative of the limit, or of the friction [N m or N].
        acting: shape (2, nv), stiffness and rate gain of the joints while commanded gains act.
    """

    gravity: Floats2
    friction: Floats2
    restitution: Floats2
    stiffness: Floats2
    damping: Floats2
    rate_gain: Floats2
    target: Floats2
    target_rate: Floats2
    armature: Floats2
    bound: Floats2
    acting: Floats2


class PartArrays(NamedTuple):
    """A part of a step, with its derivatives before the law's answer.

    Columns of derivatives are q and v at the start, nv each, the part's length, parameters.

    Attributes:
        kind: shape (trees,), 0 fixed, 1 floating, 2 a rigid body that carries its momentum.
        flying: shape (trees,), 2 if nothing touches the tree.
        query: shape (contacts,  3), the points with which contacts move, world, [m]; lowered:
            shape (1,), see ``Candidates``.
        dof, sign, more_start, more_dof, more_value: joint rows, see ``JointRows`` of a world.
        x: shape (nv,), the velocity that the law has solved for, axes of the start; v: velocity at
            the start; middle: that in h; q: positions of joints; place: the velocity that moves
            positions.
        stiffness, damping: shape (nv,), those of the joints in this part.
        wrenches: shape (nv, nv), derivative of the generalized force of pushes, by q.
        inverse: shape (nv, nv), inverse of the inertia with gains and damping, along the loops.
        along: shape (nv, nv), ``C' K'`` of ``loops``; closing: shape (nv,), ``C'`` times the loops'
            impulse but for the contacts' share, or empty; held: shape (nv,), scratch.
        balance: shape (nv, columns), minus the derivative of the momentum balance at fixed answer.
        dense: shape (nv, nv), inertia; line: shape (nv,), scratch; places: shape (nv,), scratch.
        small: shape (24, 9), matrices 3 x 3; body: shape (links, 9), inertia of links.
        dq, dv: shape (nv, nv + columns), derivatives of the new state, by q, v, generalized forces,
            parameters and the part's length.
        nearest: shape (1,), see ``Derivatives.gap_margin``.
        new: shape (nv,), new velocity; way: shape (nv,), displacement, axes of the start.
    """

    kind: Ints1
    flying: Ints1
    query: Floats2
    lowered: Floats1
    dof: Ints1
    sign: Floats1
    more_start: Ints1
    more_dof: Ints1
    more_value: Floats1
    x: Floats1
    v: Floats1
    middle: Floats1
    q: Floats1
    place: Floats1
    stiffness: Floats1
    damping: Floats1
    wrenches: Floats2
    inverse: Floats2
    along: Floats2
    closing: Floats1
    held: Floats1
    balance: Floats2
    dense: Floats2
    line: Floats1
    places: Ints1
    small: Floats2
    body: Floats2
    dq: Floats2
    dv: Floats2
    nearest: Floats1
    new: Floats1
    way: Floats1


class Answer(NamedTuple):
    """The law's answer to a part's problem, and its response to changes.

    Unknowns are impulses along the columns of E; equations are the rows of R (``kernels.answer``).

    Attributes:
        size: shape (4,), see ``AnswerSize``.
        impulse: shape (rows,), the answer; velocity: shape (nv,), change by split impulses.
        target: shape (rows,), ``u``.
        mode, margin: shape (blocks,), see ``Modes``.
        first, width: shape (rows,), first row of each unknown's block, and its number of rows.
        column, equation: shape (rows, 3), entries of E and R there; diagonal: shape (rows,), of D.
        JM: shape (rows, nv), ``J M^-1``; W: shape (rows, rows); WE: scratch.
        solve: shape (rows, rows), factors of ``R W E + D``.
        scale: shape (rows,), scratch; pivot: shape (2, rows), rows and columns by pivot, then the
            dependent ones.
        weight: shape (blocks,), largest diagonal entry of W; soft: shape (rows,), diagonal of C.
        tie: shape (rows, rows), z of the dependent equations, by equation.
        load, rate: shape (rows, 1), ``R C r``, and the unknowns' rates with e.
        held: shape (rows, columns), derivative of u at fixed impulse: q, length, parameters, v.
        given: shape (rows, 1 + parameters), c, by the part's length first; moved: shape
            (nv, 1 + parameters), ``M^-1 J' c``.
        right: shape (rows, nv + columns), ``R (J M^-1)``, then ``R (held + W c)``.
        left: shape (rows, nv), ``E' (J M^-1)``.
        between: shape (rows, nv), ``-(R W E + D)'^-1 left``; response: shape (nv, nv + columns), of
            x to momentum, then to ``held``; change: shape (nv, columns), of x by ``balance``.
    """

    size: Ints1
    impulse: Floats1
    velocity: Floats1
    target: Floats1
    mode: Ints1
    margin: Floats1
    first: Ints1
    width: Ints1
    column: Floats2
    equation: Floats2
    diagonal: Floats1
    JM: Floats2
    W: Floats2
    WE: Floats2
    solve: Floats2
    scale: Floats1
    pivot: Ints2
    weight: Floats1
    soft: Floats1
    tie: Floats2
    load: Floats2
    rate: Floats2
    held: Floats2
    given: Floats2
    moved: Floats2
    right: Floats2
    left: Floats2
    between: Floats2
    response: Floats2
    change: Floats2


class Kept(NamedTuple):
    """Data of one stored step for its adjoint.

    Attributes:
        M, L: flat, inertia and factor, as in a world; S: shape (nv, 6); pose: shape (links, 12).
        x: shape (nv,), the velocity that the law has solved for; place: the one that moves
            positions.
        stiffness, damping, rate_gain, target, target_rate, tau, external: shape (nv,), of joints.
        airborne: shape (trees,), see ``PartArrays.flying``.
        size, kind, row, candidate, mu, gap, lower, upper, frame, position, impulse, offset,
            correction: from the contact problem; centre: shape (blocks, 3), see ``Contacts``.
        W: shape (rows, rows), the Delassus matrix; link, joint: links and joint row of each block.
        corrects: shape (1,), 1 if there are split impulses.
    """

    M: Floats1
    L: Floats1
    S: Floats2
    pose: Floats2
    x: Floats1
    place: Floats1
    stiffness: Floats1
    damping: Floats1
    rate_gain: Floats1
    target: Floats1
    target_rate: Floats1
    tau: Floats1
    external: Floats1
    airborne: Ints1
    size: Ints1
    kind: Ints1
    row: Ints1
    candidate: Ints1
    mu: Floats1
    gap: Floats1
    lower: Floats1
    upper: Floats1
    frame: Floats2
    position: Floats2
    centre: Floats2
    impulse: Floats1
    offset: Floats1
    correction: Floats1
    W: Floats2
    link: Ints2
    joint: Ints1
    corrects: Floats1


class Adjoint(NamedTuple):
    """Arrays of the adjoint of a step; shared names are as in ``PartArrays`` and ``Answer``.

    Attributes:
        query, acting: from the world's contact points and pushes.
        v_new, v_position, flying: from its dynamics; report: from its problem.
        of_q, of_v: shape (nv,), gradient by the new state, then by the old one.
        of_x, of_place: shape (nv,), by the solved velocity, and by the one that moves positions.
        of_p: shape (parameters,); least: shape (1,), least margin of all steps, [m/s].
        factor: shape (trees, parameters), relative change of a tree's masses.
        power: shape (trees,), power of the links' wrenches on the motion ``multiplier``.
        multiplier: shape (nv,), multiplier of the momentum equations.
        held: shape (rows,), multiplier of the contact rows; seen: shape (rows,), their velocity.
        shared: shape (rows,), multiplier of the rows' rate of change with e.
        slope: shape (blocks,), of the target velocity by the gap, [1/s].
        motion, paired: shape (nv, 6), twists of x and of the multiplier.
        pushed, turned, rest: shape (nv, 6), wrenches of ``held``, of the impulse, and the rest of
            both in their changes.
        known: shape (rows,), a right-hand side.
        force: shape (nv,), generalized force.
        number: shape (1,), number of the step that the gradient is carried over.
        settings: shape (4,), length of a step, [s]; gain of split impulses; their slop, [m]; depth
            above which the law is told no more, [m].
    """

    query: Floats2
    acting: Ints1
    v_new: Floats1
    v_position: Floats1
    flying: Ints1
    report: Floats1
    kind: Ints1
    dof: Ints1
    sign: Floats1
    more_start: Ints1
    more_dof: Ints1
    more_value: Floats1
    body: Floats2
    small: Floats2
    of_q: Floats1
    of_v: Floats1
    of_x: Floats1
    of_place: Floats1
    of_p: Floats1
    least: Floats1
    factor: Floats2
    power: Floats1
    x: Floats1
    v: Floats1
    place: Floats1
    new: Floats1
    way: Floats1
    stiffness: Floats1
    damping: Floats1
    dense: Floats2
    line: Floats1
    multiplier: Floats1
    held: Floats1
    seen: Floats1
    slope: Floats1
    motion: Floats2
    paired: Floats2
    pushed: Floats2
    turned: Floats2
    rest: Floats2
    known: Floats1
    force: Floats1
    number: Ints1
    settings: Floats1
    size: Ints1
    impulse: Floats1
    target: Floats1
    mode: Ints1
    margin: Floats1
    first: Ints1
    width: Ints1
    column: Floats2
    equation: Floats2
    diagonal: Floats1
    W: Floats2
    WE: Floats2
    solve: Floats2
    scale: Floats1
    pivot: Ints2
    weight: Floats1
    soft: Floats1
    tie: Floats2
    load: Floats2
    rate: Floats2
    shared: Floats1
    given: Floats2


class Stride(NamedTuple):
    """Steps that one call repeats and stores, and another one carries the gradient back over.

    Attributes:
        call: shape (1 + 2 n, 2), functions and frames: one that makes a step, then for each
            step one that stores it and one that carries back over it.
        steps: shape (2,), number of steps, and number of the first step.
        number: see ``Adjoint``.
    """

    call: Ints2
    steps: Ints1
    number: Ints1


class Path(NamedTuple):
    """A run, and the gradient that is carried back along it.

    Attributes:
        q: shape (T + 1, nq); v: shape (T + 1, nv).
        of_q, of_v: shape (T + 1, nv), by each state alone; tau: shape (T, nv), by forces.
    """

    q: Floats2
    v: Floats2
    of_q: Floats2
    of_v: Floats2
    tau: Floats2


KINDS = (
    *(open_topology.kind, open_joints.kind, open_dynamics.kind, open_sides.kind, open_problem.kind),
    *(Tree, Motion, Work, Slopes, Contacts, Changes, Parameters, PartArrays, Answer),
)
"""Named tuples in the table of a part; tables of small kernels begin with ``Tree``."""


def zeros_of(kind: type[T], shapes: Mapping[str, tuple[int, ...]], /, **given: Any) -> T:
    """Return a named tuple of zeros with the annotated types, except for the given fields."""
    own: Any = {name: shapes[name] for name in kind.__annotations__ if name not in given}
    return allocated(kind, 0, **own, **given)


_PLACES = "position", "centre", "impulse", "moment", "flow"


def contacts_of(n: int, more: int = 0, **given: Any) -> Contacts:
    """Return n contacts of bodies with the world, zeros except for the given fields.

    Args:
        n: number of contacts.
        more: number of parameters of ``course``.
        given: fields.
    """
    shapes: dict[str, tuple[int, ...]] = {"frame": (n, 9), "slope": (n, 42), "drift": (n, 21)}
    shapes["course"] = (n, 10 * more)
    for name in Contacts._fields:
        shapes.setdefault(name, (n, 3) if name in _PLACES else (n,))
    links = {"link": np.full((n, 2), -1, np.int64), "flows": np.ones(n)}
    return zeros_of(Contacts, shapes, **{**links, **given})


def changes_of(contacts: int, rows: int, nv: int, more: int) -> Changes:
    """Return zeros for the changes of contacts, also with a number of parameters."""
    shapes: dict[str, tuple[int, ...]] = {"gap": (contacts, nv), "gap_by_p": (contacts, more)}
    shapes |= {"J": (rows, nv), "dJv": (rows, nv), "by_p": (rows, more), "longer": (rows,)}
    return zeros_of(Changes, {**shapes, "push": (nv, nv), "push_by_p": (nv, more)})


def row_of(kind: type[NamedTuple], kinds: tuple[type[NamedTuple], ...] = KINDS) -> int:
    """Return the first row of a named tuple in a table."""
    return sum(len(k.__annotations__) for k in kinds[: kinds.index(kind)])


_SMALL = Tree, Motion, Work, Slopes
_SEEN = Tree, Motion, Work, Contacts, Changes
tree, motion, work = (opener(kind, row_of(kind, _SMALL)) for kind in _SMALL[:3])
slopes, contacts, changes = (
    opener(Slopes, row_of(Slopes, _SMALL)),
    *(opener(kind, row_of(kind, _SEEN)) for kind in _SEEN[3:]),
)
part_topology, part_joints, part_dynamics, part_sides, part_problem = (
    opener(kind, row_of(kind)) for kind in KINDS[:5]
)
part_tree, part_motion, part_work, part_slopes, part_contacts, part_changes = (
    opener(kind, row_of(kind)) for kind in KINDS[5:11]
)
parameters, part, answer = (opener(kind, row_of(kind)) for kind in KINDS[11:])
_KEPT = *KINDS[:5], Tree, Motion, Work, Parameters, Adjoint, Kept
"""Named tuples in the table of a stored step."""
kept_tree, kept_motion, kept_work, kept_parameters, adjoint, kept = (
    opener(kind, row_of(kind, _KEPT)) for kind in _KEPT[5:]
)
path, stride = opener(Path, 0), opener(Stride, 0)
