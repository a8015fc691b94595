"""A report card: closed forms, cost, alarms and real data of a law beside those of others."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from footfall.api.plugin import PluginError, Registry, nearest
from footfall_validate.circumstances import circumstances
from footfall_validate.combination import SIMULATOR, Names, names_of_simulator
from footfall_validate.laws.cost import PILE, STANDING, WALKING, Cost, measure_costs
from footfall_validate.laws.finding import Finding
from footfall_validate.laws.study import Job, conduct, plan
from footfall_validate.results import Table

MUJOCO = "mujoco-core"
"""Package of MuJoCo's library, whose version is told."""
USUAL = "coulomb", "compliant", "mujoco"
"""Laws and simulators beside which a law is shown, as far as they are installed."""


SCENES = STANDING, WALKING, PILE
"""Scenes in which the cost of a step is measured."""


@dataclass(frozen=True, slots=True)
class Card:
    """Measurements of a law, and of those beside it.

    Attributes:
        law: its name; or that of a simulator, after "simulator ".
        others: likewise of those shown beside it.
        command: the command that repeats it.
        circumstances: date, versions and processor, as part of a sentence.
        findings: closed forms of all, each law with the impact model that suits it.
        costs: of all, in three scenes.
        tables: of real data and problems of others; empty without data.
    """

    law: str
    others: tuple[str, ...]
    command: str
    circumstances: str
    findings: list[Finding] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def json(self) -> bytes:
        """Return everything as JSON; numbers that are not finite are null."""
        return TypeAdapter(Card).dump_json(self, indent=1)


def names_of(registry: Registry, name: str) -> str:
    """Return the name under which a law or a simulator is measured.

    Raises:
        PluginError: if there is neither; suggests the nearest. If a simulator is not installed or
            does not step Footfall's worlds.
    """
    if name in registry.contact:
        return name
    if name in registry.simulator and name != registry.default("simulator"):
        return names_of_simulator(registry, name).contact
    known = [*registry.contact.names(), *registry.simulator.names()]
    told = f"{nearest(name, known)} (installed: {', '.join(known)})"
    raise PluginError(f'no contact law or simulator "{name}"{told}')


def others_of(registry: Registry, law: str, given: Sequence[str], *, quick: bool) -> list[str]:
    """Return those beside which a law is shown; by default ``USUAL``, of a quick card the first."""
    found = []
    for name in given or USUAL[: 1 if quick else None]:
        with suppress(*(() if given else (PluginError,))):
            found.append(names_of(registry, name))
    return [name for name in dict.fromkeys(found) if name != law]


def jobs_of(registry: Registry, names: Sequence[str]) -> list[Job]:
    """List all closed forms of laws and simulators; each law with the model that suits it."""
    found: list[Job] = []
    for name in names:
        if name.startswith(SIMULATOR):
            found += plan(registry, simulators=[name.removeprefix(SIMULATOR)])
            continue
        registry.find("contact", name).load()
        suiting = registry.suiting_impact(name)
        found += [job for job in plan(registry, [name]) if job.laws.impact == suiting]
    return found


class Kept:
    """Findings that an interrupted report has left beside its page, line by line.

    Attributes:
        path: the file.
        known: its findings, by check and names.
    """

    def __init__(self, page: Path, identity: str) -> None:
        """Read what the same report has left; of another one nothing is taken."""
        self.path = page.with_name(f"{page.name}.parts")
        self.known: dict[tuple[str, Names], Finding] = {}
        self._first = hashlib.sha256(identity.encode()).hexdigest()
        self._read = TypeAdapter(Finding)
        lines = self.path.read_text("utf-8").splitlines() if self.path.is_file() else []
        if lines[:1] != [self._first]:
            self.path.unlink(missing_ok=True)
            return
        for line in lines[1:]:
            with suppress(ValidationError):  # the last line may be half there
                self.keep(self._read.validate_json(line), write=False)

    def keep(self, finding: Finding, *, write: bool = True) -> None:
        """Add a finding, also to the file."""
        self.known[finding.check, finding.laws] = finding
        if write:
            new = not self.path.exists()
            with self.path.open("a", encoding="utf-8") as file:
                file.write(f"{self._first}\n" * new)
                file.write(self._read.dump_json(finding).decode() + "\n")


def identity_of(registry: Registry, names: Sequence[str]) -> str:
    """Return a text that differs if versions differ, or a file of a law's package has changed."""
    changes = []
    for name in names:
        role = "simulator" if name.startswith(SIMULATOR) else "contact"
        package = registry.find(role, name.removeprefix(SIMULATOR)).load().__module__.split(".")[0]
        module = import_module(package)
        for folder in getattr(module, "__path__", [getattr(module, "__file__", "")]):
            files = sorted({Path(folder), *Path(folder).rglob("*.py")})
            changes += [f"{file} {file.stat().st_mtime_ns}" for file in files]
    said = circumstances(MUJOCO).split(" with ", 1)[1]
    return "\n".join([said, *names, *changes])


def measure(
    jobs: Sequence[Job], kept: Kept, workers: int | None, done: Callable[[], None]
) -> list[Finding]:
    """Return the findings of all jobs; those that are kept are not measured again."""

    def take(finding: Finding) -> None:
        kept.keep(finding)
        done()

    left = [job for job in jobs if (job.check, job.laws) not in kept.known]
    for _ in range(len(jobs) - len(left)):
        done()
    conduct(left, workers=workers, on_done=take)
    return [kept.known[job.check, job.laws] for job in jobs]


def costs_of(names: Sequence[str], done: Callable[[], None]) -> Iterator[Cost]:
    """Yield the cost of a step under each law, in three scenes."""
    for scene in SCENES:
        yield from measure_costs(names, scene)
        done()
