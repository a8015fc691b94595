"""The roles over one contact problem: contact law, impact model, and method of its matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import ClassVar

from footfall.errors import PluginError
from footfall.interfaces.plugin import Plugin
from footfall.jit.tables import Table
from footfall.problem.arrays import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Floats

LawState = Mapping[str, Floats]
"""The law's declared state parts by name: shape (1, width), (nv, width) or (candidates, width)."""


class Need(Enum):
    """Quantities that are computed only for laws that declare the need."""

    JDOT_V = "Jdot v"
    DELASSUS = "Delassus matrix"


@dataclass(frozen=True, slots=True)
class Claims:
    """What a contact law or an impact model promises of its answers; by default the exact cone.

    The step reads none of it. The conformance kit (``footfall check``) and ``footfall validate
    laws`` hold the plugin to it, and do not judge what it does not promise.

    Attributes:
        residual: largest natural-map residual of its answers with its default settings, [m/s]; it
            then writes ``problem.report.residual``. None: it solves something else than
            Signorini's condition and Coulomb's law (a compliance, a pyramid, a relaxation).
        anisotropy: by how much friction exceeds mu in its strongest direction along the ground,
            relative: 0 for the exact cone, sqrt(2) - 1 for a square pyramid around it. Friction
            polygons have a face across the first tangent, along which friction is mu.
        creep: speed up to which a point that sticks may slide (regularised friction), [m/s].
        slides: whether a sliding point is slowed by mu times the normal force (up to
            1 + anisotropy times that) and not lifted.
        misses: checks of ``footfall validate laws`` that it is known to miss though all else that
            it promises implies them, by name, each with the reason.
    """

    residual: float | None = None
    anisotropy: float = 0.0
    creep: float = 0.0
    slides: bool = True
    misses: Mapping[str, str] = field(default_factory=dict)


class ContactModel(Plugin):
    """Base of the two kinds of contact law. A law sees arrays, never a robot or an engine.

    Constructed as ``cls(config)``, or ``cls(config, solver)`` if ``uses_solver``.
    """

    blocks: ClassVar[frozenset[BlockKind]] = frozenset({BlockKind.CONE})
    """Kinds of block that the law solves."""
    needs: ClassVar[frozenset[Need]] = frozenset({Need.DELASSUS})
    """Quantities of the problem that the law reads beyond gaps and velocities."""
    absorbs_impacts: ClassVar[bool] = False
    """Whether the law itself brings approaching points to rest, so that no impact model is due."""
    uses_solver: ClassVar[bool] = False
    """Whether the law is constructed with a QP solver from its ``solver`` table."""
    explicit_position: ClassVar[bool] = True
    """Whether it is sound with integrators that move positions with the old velocity."""
    claims: Claims = Claims()
    """What it promises of its answers. Declared on the class, or set by the constructor where it
    depends on the settings."""

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]; 0: only touching points.

        With a positive margin, points that could reach the ground within the step enter as well.
        """
        return 0.0

    @property
    def figures(self) -> tuple[tuple[str, str], ...]:
        """What follows from its settings and a user should see: pairs for the summary of a run."""
        return ()

    def rest_depth(self, force: float) -> float:
        """Return how deep one point at rest carries a normal force [N], [m]; 0 if it is rigid."""
        return 0.0

    def softness(
        self, force: Floats, speed: Floats, mobility: Floats
    ) -> tuple[Floats, Floats, float] | None:
        """Return what contacts are to small motions; None of a law that is stable at any step.

        Where the law gives way, the step has a largest length: scenes beyond it are refused.

        Args:
            force: shape (contacts,), normal force that each carries at rest, [N].
            speed: shape (contacts,), at which each lands, [m/s].
            mobility: shape (contacts,), speed that a unit impulse along the normal gives, [1/kg].

        Returns:
            Stiffness [N/m] and damping [N s/m], shape (contacts, 3), along tangent, tangent and
            normal; the longest step that the law itself is stable with whatever the masses, [s].
        """
        return None

    def slopes(self, problem: ContactProblem, state: LawState) -> tuple[Floats, ...] | None:
        """Return the law's own derivative, at the answer that it has just given; None: it has none.

        ``A dr + B du + C dw + D dgap + E dmu = 0`` to first order: r is the impulse [N s], dt times
        a force, ``u = W r + free_velocity`` the new velocity of its row, w (``velocity``) the old
        one; W and the law's own state are held. It is what ``footfall.derivatives`` asks for.

        Args:
            problem: solved; ``impulse`` is r, also of a law of force.
            state: the law's, at the start of the step.

        Returns:
            A, B and C, shape (rows, rows), D and E, shape (rows, blocks).
        """
        return None

    def allocate(self, candidates: int, rows: int) -> None:
        """Make workspaces for at most so many contact candidates and rows.

        Called once, and again where contacts are detected and there come to be more than there was
        room for; the problem is then another object as well.
        """

    def name_contacts(self, names: Sequence[str]) -> None:
        """Learn what the contact candidates are called, ``body/contact``; called with ``allocate``.

        Contacts that are detected come after the declared ones and have empty names.

        For laws that have settings of single contacts; kernels go on knowing their numbers only.

        Raises:
            SceneError: if a setting is of a contact that does not exist.
        """

    def go_on(self) -> None:
        """Find the answer that the bound kernel has not found, or raise why there is none."""
        raise NotImplementedError(f"{self.name}: its kernel asks to go on, and nothing goes on")


class ImpulseLaw(ContactModel):
    """A law for impulses over one step (velocity level)."""

    absorbs_impacts = True
    explicit_position = False
    claims = Claims(residual=1e-6)

    @property
    def correction_gain(self) -> float:
        """Part of a contact's depth that the law removes in a step, [-]; 0: it removes none.

        What is deeper than a scene's ``max_correction_speed`` allows is told to the law as less.
        """
        return 0.2

    @abstractmethod
    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Solve for the impulse of one step, or of an impact if ``problem.impulsive``.

        Called in every step, without contacts as well: ``problem.n_blocks`` is then 0, every array
        of rows is empty, and nothing but ``report`` remains to be written. Steps with impacts are
        split, and each part is a call. What it returns must be None: it is refused otherwise.

        Overwrites ``problem.impulse`` (which holds the warm start), ``offset``, ``correction``
        (zeros if there is none) and ``report``.

        Raises:
            SolverError: if there is no answer and the law's policy is to raise.
        """

    def bound(self, problem: ContactProblem, state: LawState) -> Callable[[], object]:
        """Return a call that does what ``solve`` does, for arrays that never move.

        A law whose answer is one kernel may override it: what ``footfall.api.kernels.bind``
        returns is called by the compiled step itself, without Python in between. The kernel
        overwrites ``report`` as well, and returns nothing, or whether the answer is not found
        yet: ``go_on`` is then called.

        Args:
            problem: whose ``arrays`` stay where they are; their ``size`` changes.
            state: the views of the law's parts of the state.
        """

        def call() -> None:
            returned: object = self.solve(problem, state)
            refuse_returned(self, "solve", returned)

        return call


def refuse_returned(law: ContactModel, method: str, returned: object) -> None:
    """Refuse what a law returned instead of writing it where the step reads it.

    Args:
        law: the law.
        method: ``solve`` or ``force``, whose call it was.
        returned: None of a law that writes.

    Raises:
        PluginError: if it is not None; says where the answer belongs.
    """
    if returned is not None:
        into = "problem.impulse" if method == "solve" else "out"
        raise PluginError(
            f'contact "{law.name}": {method} returned {type(returned).__name__}, which nobody '
            f"reads: write the answer into {into} ({into}[:] = ...) and return nothing"
        )


class ForceLaw(ContactModel):
    """A law for forces as a function of the state (acceleration level or compliant).

    A newcomer writes ``force`` alone. In continuous time it is called several times a step, at
    trial states as well; ``problem.dt`` and ``free_velocity`` are then those of a whole tick.
    """

    @abstractmethod
    def force(self, problem: ContactProblem, state: LawState, rate: LawState, out: Floats) -> None:
        """Overwrite ``out`` (rows,) with forces [N] in the contact frames; return nothing.

        Called without contacts as well: ``out`` and every array of rows is then empty.

        ``rate`` has the shape of ``state`` and takes the time derivative of its continuous parts.
        ``problem.report`` comes as zeros.
        """

    def bound(
        self, problem: ContactProblem, state: LawState, rate: LawState, out: Floats
    ) -> Callable[[], object]:
        """Return a call that does what ``force`` does, for arrays that never move.

        Args:
            problem: whose ``arrays`` stay where they are; their ``size`` changes.
            state: the views of the law's parts of the state.
            rate: likewise.
            out: shape (all rows,): of its storage the first ``size[1]`` are to be written.

        A law whose force is one kernel may override it: what ``footfall.api.kernels.bind`` returns
        is called by the compiled step itself. The kernel overwrites ``report`` as well, and returns
        nothing, or whether it has no answer: ``go_on`` is then called, to raise why.
        """

        def call() -> None:
            problem.report.write()
            rows = out[: problem.n_rows]
            returned: object = self.force(problem, state, rate, rows)
            refuse_returned(self, "force", returned)

        return call

    def switching(self, problem: ContactProblem, state: LawState, out: Floats) -> None:
        """Overwrite ``out`` (candidates, 2) with what changes sign at the law's events.

        First column: positive while the point is in contact; second: positive while it slips (of no
        meaning without contact). Called after ``force`` for the same problem. Rows of candidates
        that are not in the problem come negative and may be left. The steadier a function passes
        through zero, the better; only its sign decides. By default contact is where the gap is
        less than the law's margin, and nothing is known of slip.
        """
        out[problem.candidate, 0] = self.margin - problem.gap
        out[problem.candidate, 1] = -1.0

    def stored_energy(self, problem: ContactProblem, state: LawState) -> float:
        """Return the elastic energy that the contacts hold, [J]; 0 unless the law has springs."""
        return 0.0

    def bound_energy(
        self, problem: ContactProblem, state: LawState, out: Floats
    ) -> Callable[[], object]:
        """Return a call that writes ``stored_energy`` to ``out``, shape (1,), a kernel maybe."""

        def call() -> None:
            out[0] = self.stored_energy(problem, state)

        return call


class ImpactModel(Plugin):
    """Resolves an impulsive problem ``v+ = v + M^-1 J' r`` over the touching points.

    Constructed as ``cls(config)``, or ``cls(config, solver)`` if ``uses_solver``.
    """

    uses_solver: ClassVar[bool] = False
    acts: ClassVar[bool] = True
    """False for the null model: the stepper then looks for no impacts."""
    bilateral: ClassVar[bool] = False
    """Whether it holds every touching point, pulling where it must, without bound on friction."""
    claims: Claims = Claims()
    """What it promises of its answers, as in ``ContactModel``."""

    @abstractmethod
    def resolve(self, problem: ContactProblem) -> None:
        """Overwrite ``problem.impulse``, ``offset`` and ``report``; must not add energy."""

    def bound(self, problem: ContactProblem) -> Callable[[], object]:
        """Return a call that does what ``resolve`` does, for arrays that never move.

        A model that is one kernel may override it, as a law does: what
        ``footfall.api.kernels.bind`` returns is called by the compiled step itself. This is asked
        for at the first impact. The kernel returns nothing, or whether the answer is not found
        yet: ``go_on`` is then called.

        Args:
            problem: whose ``arrays`` stay where they are; their ``size`` changes.
        """
        return partial(self.resolve, problem)

    def go_on(self) -> None:
        """Find the answer that the bound kernel has not found."""
        raise NotImplementedError(f"{self.name}: its kernel asks to go on, and nothing goes on")


SPARSE = "sparse"
"""Name of the core's own method, which needs no plugin."""


class DelassusMethod(ABC):
    """Computes ``J M^-1 J'`` of each contact problem, also known as Lambda^-1.

    Constructed as ``cls(table)`` with the table of the arrays of a world, which the openers of
    ``footfall.api.kernels`` open, in kernels as in Python. The step has filled the matrix from
    the factored inertia when a method overwrites it. ``[simulation] delassus`` names the method;
    it has no settings.
    """

    name: ClassVar[str]
    """Name by which a scene chooses it."""
    open_chains_only: ClassVar[bool] = False
    """Whether it does not know closed loops, limits and friction of joints as rows of the problem,
    drives that couple joints, and moments of contacts: scenes that have them are refused."""

    def __init__(self, table: Table) -> None:  # noqa: B027
        """Make the work space, if there is any."""

    def renew(self) -> None:  # noqa: B027
        """Make room anew after the contact problem has grown.

        The table holds the new arrays. What Python has opened before still holds the old ones.
        """

    @abstractmethod
    def after_settling(
        self, settle: Callable[[float], None], tree: int | None
    ) -> Callable[[float], None]:
        """Return what evaluates a tree for a step, with what the method adds.

        Args:
            settle: ``settle(dt)`` computes the free velocity over a step of length dt, [s].
            tree: index of the tree; None: all free bodies.
        """

    @abstractmethod
    def after_building(self, build: Callable[..., None]) -> Callable[..., None]:
        """Return what builds a contact problem, with the method's matrix in it.

        Args:
            build: builds it; its arguments are the step's own, to be handed on.
        """
