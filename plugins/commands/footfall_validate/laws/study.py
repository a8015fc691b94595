"""All checks over all combinations of laws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from footfall import discover
from footfall.api.contact import ForceLaw
from footfall.api.plugin import PluginError, Registry, SceneError, error_line, nearest
from footfall.api.world import OneStep
from footfall_validate.checks import CHECKS
from footfall_validate.combination import Names, combine, names_of_simulator
from footfall_validate.laws.check import Check
from footfall_validate.laws.finding import Finding, examine
from footfall_validate.workers import run_jobs


@dataclass(frozen=True, slots=True)
class Job:
    """One check with one combination of laws.

    Attributes:
        check: name of the check.
        laws: names of the plugins.
        solver: name of the QP solver for laws that use one; None: the default.
    """

    check: str
    laws: Names
    solver: str | None = None


def plan(
    registry: Registry,
    laws: Sequence[str] = (),
    impacts: Sequence[str] = (),
    checks: Sequence[str] = (),
    solver: str | None = None,
    simulators: Sequence[str] = (),
) -> list[Job]:
    """List the jobs; without names, all plugins and checks are used.

    - Contact laws run every check with the impact model that suits them.
    - Checks about impacts run with every impact model.
    - Checks without contact also run with every integrator.
    - Named impact models run every check.
    - Named simulators run every check, also if laws are named.

    Raises:
        PluginError: if a name does not exist; suggests the nearest.
    """
    chosen = chosen_checks(checks)
    every_law = not laws and not simulators
    laws = _names(registry, "contact", laws) if laws or every_law else []
    elsewhere = [names_of_simulator(registry, name) for name in simulators]
    found: list[Job] = []
    for check in chosen:
        combinations: list[Names] = []
        for law in laws:
            for impact in _impacts(registry, law, impacts, check):
                combinations.append(Names(law, impact, registry.default("integrator")))
        combinations += elsewhere
        if check.about == "motion" and every_law and not impacts:
            combinations += _integrators(registry)
        found += [Job(check.name, names, solver) for names in combinations]
    return found


def chosen_checks(names: Sequence[str]) -> list[Check]:
    """Return checks by name, all if none is given.

    Raises:
        PluginError: if a check does not exist; suggests the nearest.
    """
    known = {check.name: check for check in CHECKS}
    for name in names:
        if name not in known:
            raise PluginError(
                f'no check "{name}"{nearest(name, known)} (checks: {", ".join(known)})'
            )
    return [check for check in CHECKS if not names or check.name in names]


def conduct(
    jobs: Sequence[Job],
    *,
    workers: int | None = None,
    on_done: Callable[[Finding], None] = lambda finding: None,
) -> list[Finding]:
    """Run all jobs, on all cores, and return their findings in order."""
    found: dict[int, Finding] = {}
    for number, finding in run_jobs(do, jobs, _died, workers):
        found[number] = finding
        on_done(finding)
    return [found[number] for number in range(len(jobs))]


@cache
def installed() -> Registry:
    """Return the installed plugins, discovered once per process."""
    return discover()


def do(job: Job) -> Finding:
    """Run one job with the installed plugins."""
    check = chosen_checks([job.check])[0]
    try:
        laws = combine(
            installed(), job.laws.contact, job.laws.impact, job.laws.integrator, job.solver
        )
    except (PluginError, SceneError) as error:
        return Finding(job.check, job.laws, error=str(error), unavailable=True)
    except Exception as error:
        return Finding(job.check, job.laws, error=f"raised {error_line(error)}")
    return examine(check, laws)


def _died(job: Job) -> Finding:
    return Finding(job.check, job.laws, error="its process died")


def _names(registry: Registry, role: str, given: Sequence[str]) -> list[str]:
    """Return the given names if they exist; all if none is given."""
    for name in given:
        registry.find(role, name)
    return list(given) or registry.catalog(role).names()


def _impacts(registry: Registry, law: str, given: Sequence[str], check: Check) -> list[str]:
    """Return the impact models for a check of a law."""
    if given:
        return _names(registry, "impact", given)
    try:
        suits = registry.suiting_impact(law)
    except PluginError:  # a law that cannot be loaded is shown once
        return ["none"]
    if check.about != "impact":
        return [suits]
    return [suits, *(name for name in registry.impact.names() if name != suits)]


def _integrators(registry: Registry) -> Iterator[Names]:
    """Yield every other integrator with the first law that fits it."""
    for name, integrator in registry.integrator.loadable():
        if name == registry.default("integrator"):
            continue
        for law, cls in registry.contact.loadable():
            fits = cls.explicit_position if issubclass(integrator, OneStep) else True
            if fits and (issubclass(integrator, OneStep) or issubclass(cls, ForceLaw)):
                yield Names(law, registry.suiting_impact(law), name)
                break
