"""The roles around one contact problem: contact law, impact model, Delassus method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from math import inf
from typing import ClassVar

from footfall.errors import PluginError
from footfall.interfaces.plugin import Plugin
from footfall.jit.compiling import bind
from footfall.jit.tables import Table, read_only
from footfall.problem.arrays import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.problem.restitution import cut_restitution, search_table
from footfall.typing import Floats

LawState = Mapping[str, Floats]
"""The law's declared state parts by name: shape (1, width), (nv, width) or (candidates, width)."""


class Need(Enum):
    """Quantities that are computed only for laws that declare them."""

    JDOT_V = "Jdot v"
    DELASSUS = "Delassus matrix"


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a contact law or an impact model about its answers; default: the exact cone.

    The step does not read them. The conformance kit (``footfall check``) and ``footfall validate
    laws`` test the plugin against them, and test nothing that is not claimed.

    Attributes:
        residual: largest natural-map residual of its answers with its default settings, [m/s]; it
            then writes ``problem.report.residual``. None if it does not solve Signorini's condition
            and Coulomb's law, but e.g. a compliance, a pyramid or a relaxation.
        anisotropy: relative excess of friction over mu in its strongest direction along the ground:
            0 for the exact cone, sqrt(2) - 1 for a square pyramid around it. Friction polygons have
            a face across the first tangent, along which friction is mu.
        creep: speed up to which a sticking point may slide (regularised friction), [m/s].
        slides: whether a sliding point is slowed by mu times the normal force (up to
            1 + anisotropy times that) and not lifted.
        misses: checks of ``footfall validate laws`` that it fails although its other claims imply
            them; the reason by name of the check.
    """

    residual: float | None = None
    anisotropy: float = 0.0
    creep: float = 0.0
    slides: bool = True
    misses: Mapping[str, str] = field(default_factory=dict)


class ContactModel(Plugin):
    """Base class of the two kinds of contact law. A law sees arrays, never a robot or an engine.

    Constructed as ``cls(config)``, or ``cls(config, solver)`` if ``uses_solver``.
    """

    blocks: ClassVar[frozenset[BlockKind]] = frozenset({BlockKind.CONE})
    """Kinds of block that the law solves."""
    needs: ClassVar[frozenset[Need]] = frozenset({Need.DELASSUS})
    """Quantities of the problem that the law reads beyond gaps and velocities."""
    absorbs_impacts: ClassVar[bool] = False
    """Whether the law itself stops approaching points, so that no impact model is needed."""
    uses_solver: ClassVar[bool] = False
    """Whether the law is constructed with a QP solver from its ``solver`` table."""
    explicit_position: ClassVar[bool] = True
    """Whether it works with integrators that move positions with the old velocity."""
    claims: Claims = Claims()
    """Claims about its answers, declared on the class, or set by the constructor if they depend on
    the settings."""

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]; 0 for touching points only.

        With a positive margin, points that could reach the ground within the step enter too.
        """
        return 0.0

    @property
    def whole_matrix_rows(self) -> float:
        """Number of rows up to which all of W is written; of more, only its diagonal blocks are.

        If it is finite, the W of several blocks on one tree may be in the factor's ``product``
        alone. The kernels of such a law, which works by the problem's factor, call
        ``complete_matrix`` before they read ``W``. Infinite for a law that always reads it.
        """
        return inf

    @property
    def figures(self) -> tuple[tuple[str, str], ...]:
        """Derived figures that a user should see: pairs of texts for the summary of a run."""
        return ()

    def rest_depth(self, force: float) -> float:
        """Return the depth of one point at rest under a normal force [N], [m]; 0 if rigid."""
        return 0.0

    def softness(
        self, force: Floats, speed: Floats, mobility: Floats
    ) -> tuple[Floats, Floats, float] | None:
        """Return stiffness and damping of contacts for small motions; None if stable at any step.

        A compliant law has a longest stable step: scenes beyond it are rejected.

        Args:
            force: shape (contacts,), normal force on each at rest, [N].
            speed: shape (contacts,), landing speed of each, [m/s].
            mobility: shape (contacts,), speed that a unit impulse along the normal gives, [1/kg].

        Returns:
            Stiffness [N/m] and damping [N s/m], shape (contacts, 3), along tangent, tangent and
            normal; the longest step at which the law itself is stable for any masses, [s].
        """
        return None

    def slopes(self, problem: ContactProblem, state: LawState) -> tuple[Floats, ...] | None:
        """Return the law's own derivative at its last answer, or None if it has none.

        ``A dr + B du + C dw + D dgap + E dmu = 0`` to first order: r is the impulse [N s], dt times
        a force, ``u = W r + free_velocity`` the new velocity of its row, w (``velocity``) the old
        one; W and the law's own state are constant. ``footfall.derivatives`` uses it.

        Args:
            problem: the solved problem; ``impulse`` is r, for force laws too.
            state: the law's state at the start of the step.

        Returns:
            A, B and C, shape (rows, rows), D and E, shape (rows, blocks).
        """
        return None

    def allocate(self, candidates: int, rows: int) -> None:
        """Allocate workspaces for the given greatest numbers of contact candidates and rows.

        Called once, and again when detected contacts exceed the room; the problem is then another
        object too.
        """

    def name_contacts(self, names: Sequence[str]) -> None:
        """Receive the names of the contact candidates, ``body/contact``, with each ``allocate``.

        Detected contacts come after the declared ones and have empty names. This is for laws with
        settings for single contacts; kernels know only the numbers of contacts.

        Raises:
            SceneError: if a setting names a contact that does not exist.
        """

    def go_on(self) -> None:
        """Find the answer that the bound kernel has not found, or raise the reason."""
        raise NotImplementedError(f"{self.name}: its kernel needs go_on, which is not implemented")


class ImpulseLaw(ContactModel):
    """A law for impulses over one step (velocity level)."""

    absorbs_impacts = True
    explicit_position = False
    claims = Claims(residual=1e-6)

    @property
    def correction_gain(self) -> float:
        """Part of a contact's depth that the law removes in a step, [-].

        The law is given a depth that is clamped by the scene's ``max_correction_speed``.
        """
        return 0.2

    @abstractmethod
    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Solve for the impulse of one step, or of an impact if ``problem.impulsive``.

        Called in every step, also without contacts: ``problem.n_blocks`` is then 0, every array of
        rows is empty, and only ``report`` is to be written. A step with impacts is split; each part
        is one call. It must return None.

        Overwrite ``problem.impulse`` (which holds the warm start), ``offset``, ``correction``
        (zeros if there is none) and ``report``.

        Raises:
            SolverError: if there is no answer and the law's policy is to raise.
        """

    def bound(self, problem: ContactProblem, state: LawState) -> Callable[[], object]:
        """Return a function that does the same as ``solve``, for arrays that never move.

        A law that is one kernel may override it: the compiled step itself calls the result of
        ``footfall.api.kernels.bind``, without Python in between. The kernel overwrites ``report``
        too. It returns nothing, or true if it has not found the answer: ``go_on`` is then called.

        Args:
            problem: the problem; its ``arrays`` never move, their ``size`` changes.
            state: views of the law's parts of the state.
        """
        problem = problem.shown()

        def call() -> None:
            returned: object = self.solve(problem, state)
            refuse_returned(self, "solve", returned)

        return call


def refuse_returned(law: ContactModel, method: str, returned: object) -> None:
    """Reject a law that returns its answer instead of writing it.

    Args:
        law: the law.
        method: the called method, ``solve`` or ``force``.
        returned: its return value, None if the law is correct.

    Raises:
        PluginError: if the value is not None; names the array for the answer.
    """
    if returned is not None:
        into = "problem.impulse" if method == "solve" else "out"
        raise PluginError(
            f'contact "{law.name}": {method} returned {type(returned).__name__}, must return '
            f"nothing: write the answer into {into} ({into}[:] = ...)"
        )


class ForceLaw(ContactModel):
    """A law for forces as a function of the state (acceleration level or compliant).

    A minimal law implements ``force`` alone. In continuous time it is called several times a step,
    also at trial states; ``problem.dt`` and ``free_velocity`` are then those of a whole tick.
    """

    @abstractmethod
    def force(self, problem: ContactProblem, state: LawState, rate: LawState, out: Floats) -> None:
        """Overwrite ``out`` (rows,) with forces [N] in the contact frames; return nothing.

        Called also without contacts: ``out`` and every array of rows are then empty.

        Write the time derivatives of the continuous parts of ``state`` into ``rate``, of the same
        shape. ``problem.report`` is zero on entry.
        """

    def bound(
        self, problem: ContactProblem, state: LawState, rate: LawState, out: Floats
    ) -> Callable[[], object]:
        """Return a function that does the same as ``force``, for arrays that never move.

        Args:
            problem: the problem; its ``arrays`` never move, their ``size`` changes.
            state: views of the law's parts of the state.
            rate: views of their time derivatives.
            out: shape (all rows,); only the first ``size[1]`` are to be written.

        A law that is one kernel may override it: the compiled step itself calls the result of
        ``footfall.api.kernels.bind``. The kernel overwrites ``report`` too. It returns nothing, or
        true if it has no answer: ``go_on`` is then called and raises the reason.
        """
        problem, parts = problem.shown(), {p.name: p.kind for p in self.state_parts}
        state = {k: read_only(x) if parts[k] == "continuous" else x for k, x in state.items()}

        def call() -> None:
            problem.report.write()
            rows = out[: problem.n_rows]
            returned: object = self.force(problem, state, rate, rows)
            refuse_returned(self, "force", returned)

        return call

    def switching(self, problem: ContactProblem, state: LawState, out: Floats) -> None:
        """Overwrite ``out`` (candidates, 2) with functions that change sign at the law's events.

        The first column is positive while the point is in contact, the second while it slips
        (without contact the second has no meaning). Called after ``force`` for the same problem.
        Rows of candidates that are not in the problem are negative on entry and may be left so.
        Only the sign decides, but functions that are smooth at zero work best. By default a point
        is in contact if its gap is less than the law's margin, and never slips.
        """
        out[problem.candidate, 0] = self.margin - problem.gap
        out[problem.candidate, 1] = -1.0

    def stored_energy(self, problem: ContactProblem, state: LawState) -> float:
        """Return the elastic energy of the contacts, [J]; 0 unless the law has springs."""
        return 0.0

    def bound_energy(
        self, problem: ContactProblem, state: LawState, out: Floats
    ) -> Callable[[], object]:
        """Return a function or kernel that writes ``stored_energy`` to ``out``, shape (1,)."""

        def call() -> None:
            out[0] = self.stored_energy(problem, state)

        return call


class ImpactModel(Plugin):
    """A solver of the impulsive problem ``v+ = v + M^-1 J' r`` over the touching points.

    Constructed as ``cls(config)``, or ``cls(config, solver)`` if ``uses_solver``.
    """

    uses_solver: ClassVar[bool] = False
    acts: ClassVar[bool] = True
    """False for null models: the stepper then searches no impacts."""
    cuts: ClassVar[bool] = False
    """Whether the step cuts the restitution of its impacts, a null model's of the law's impacts, so
    that they add no energy."""
    bilateral: ClassVar[bool] = False
    """Whether it holds every touching point, by pulling if needed and with unlimited friction."""
    claims: Claims = Claims()
    """Claims about its answers, as in ``ContactModel``."""

    @abstractmethod
    def resolve(self, problem: ContactProblem) -> None:
        """Overwrite ``problem.impulse``, ``offset`` and ``report``; must not add energy."""

    def bound(self, problem: ContactProblem) -> Callable[[], object]:
        """Return a function that does the same as ``resolve``, for arrays that never move.

        A model that is one kernel may override it, as a law does: the compiled step itself calls
        the result of ``footfall.api.kernels.bind``. ``bound`` is called at the first impact. The
        kernel returns nothing, or true if it has not found the answer: ``go_on`` is then called.

        Args:
            problem: the problem; its ``arrays`` never move, their ``size`` changes.
        """
        return partial(self.resolve, problem.shown())

    def cut(self, problem: ContactProblem) -> Callable[[], object]:
        """Return a kernel that judges the energy of an answer to a problem.

        It returns true if the problem is to be resolved again, now with less restitution.
        """
        return bind(cut_restitution, problem.table, search_table(problem.arrays))

    def go_on(self) -> None:
        """Find the answer that the bound kernel has not found."""
        raise NotImplementedError(f"{self.name}: its kernel needs go_on, which is not implemented")


SPARSE = "sparse"
"""Name of core's own method, which needs no plugin."""


class DelassusMethod(ABC):
    """Method that computes ``J M^-1 J'`` of each contact problem, also known as Lambda^-1.

    Constructed as ``cls(table)`` with the table of the arrays of a world. The openers of
    ``footfall.api.kernels`` open it, in kernels and in Python. The step first fills the matrix from
    the factored inertia, then the method overwrites it. ``[simulation] delassus`` names the method;
    it has no settings.
    """

    name: ClassVar[str]
    """Name in scenes."""
    open_chains_only: ClassVar[bool] = False
    """Whether it does not support closed loops, limits and friction of joints as rows of the
    problem, drives that couple joints, and moments of contacts: scenes with them are rejected."""

    def __init__(self, table: Table) -> None:  # noqa: B027
        """Allocate the workspace, if any."""

    def renew(self) -> None:  # noqa: B027
        """Allocate the workspace again after the contact problem has grown.

        The table holds the new arrays. Arrays that Python opened before are the old ones.
        """

    @abstractmethod
    def after_settling(
        self, settle: Callable[[float], None], tree: int | None
    ) -> Callable[[float], None]:
        """Return a function that evaluates a tree for a step and does the method's own work.

        Args:
            settle: ``settle(dt)`` computes the free velocity over a step of length dt, [s].
            tree: index of the tree; None for all free bodies.
        """

    @abstractmethod
    def after_building(self, build: Callable[..., None]) -> Callable[..., None]:
        """Return a function that builds a contact problem with the method's matrix.

        Args:
            build: function that builds it; its arguments belong to the step: pass them on.
        """
