"""Impacts without one right answer: shown for each law and impact model, without a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args, get_origin

from footfall.api.plugin import Capability, FootfallError, PluginError, Registry, SceneError
from footfall.testing.check import Subject, subject_of
from footfall.testing.problems.case import Case
from footfall_validate.exhibits.strike import Outcome, strike
from footfall_validate.laws.check import Trace
from footfall_validate.laws.figures import Figure


@dataclass(frozen=True, slots=True)
class Answerer:
    """A contact law or an impact model that is asked for its own answer.

    Attributes:
        label: its role and name, and settings that differ from the defaults.
        subject: the plugin; None if it is not installed.
    """

    label: str
    subject: Subject | None

    @property
    def short(self) -> str:
        """The label without the role, for figures."""
        return self.label.split(" ", 1)[1]

    @property
    def e(self) -> float:
        """Coefficient of restitution used with it: 1, or 0 if it declares none."""
        subject = self.subject
        return 1.0 if subject is not None and subject.can(Capability.RESTITUTION) else 0.0

    def played(self, case: Case) -> Outcome | str:
        """Return the answer to a collision, or why there is none."""
        if self.subject is None:
            return "not available"
        try:
            return strike(self.subject, case)
        except FootfallError as error:
            return f"refuses: {error}"


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A table and figures of all laws' answers.

    Attributes:
        title: its title, a few words.
        text: description, and the classical answer with its source.
        header: titles of the columns.
        rows: cells, one row per law; the first is the classical answer.
        figures: figures by name.
        curves: curves with the labels of their laws, one or more per figure.
    """

    title: str
    text: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: dict[str, Figure] = field(default_factory=dict)
    curves: tuple[tuple[str, Trace], ...] = field(default=(), repr=False)


def answerers(
    registry: Registry,
    laws: Sequence[str] = (),
    impacts: Sequence[str] = (),
    solver: str | None = None,
) -> list[Answerer]:
    """List active impact models and contact laws, all if no names are given.

    Each impact model also appears with each of its choices, such as a hypothesis.

    Raises:
        PluginError: if a law or impact model does not exist; suggests the nearest name.
    """
    made_with = solver or registry.default("solver")
    found = []
    for role, names in (("impact", impacts), ("contact", laws)):
        catalog = registry.catalog(role)
        for name in names:
            catalog[name]
        chosen = names or ([] if laws or impacts else catalog.names())
        for name in chosen:
            found += list(_variants(registry, role, name, made_with))
    return found


def _variants(registry: Registry, role: str, name: str, solver: str) -> Iterator[Answerer]:
    try:
        usual = subject_of(role, name, registry, solver=solver)
    except (PluginError, SceneError):
        yield Answerer(f"{role} {name}", None)
        return
    if role == "contact":
        yield Answerer(f"{role} {name}", usual)
    elif usual.cls.acts:
        yield Answerer(f"{role} {name}", usual)
        for key, setting in usual.cls.Config.model_fields.items():
            if get_origin(setting.annotation) is Literal:
                for value in get_args(setting.annotation):
                    if value != setting.default:
                        other = subject_of(role, name, registry, {key: value}, solver)
                        yield Answerer(f"{role} {name}, {key} {value}", other)
