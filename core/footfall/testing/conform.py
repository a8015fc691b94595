"""The conformance run: the checks of a role, applied to a plugin."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from footfall.errors import PluginError, nearest
from footfall.interfaces.plugin import Plugin, PluginConfig
from footfall.registry.discover import discover
from footfall.registry.registry import Registry
from footfall.testing.check import (
    SOLVER,
    Check,
    Finding,
    NotApplicable,
    Report,
    Result,
    Subject,
    subject_of,
)


def roles() -> list[str]:
    """Return the roles with checks, in alphabetical order."""
    return discover().kit.names()


def checks(role: str) -> tuple[Check, ...]:
    """Return the checks of a role, e.g. to parametrise a test with (``ids=str``).

    Raises:
        PluginError: if there is no such role.
    """
    kit = discover().kit
    if role not in kit:
        known = kit.names()
        raise PluginError(f"no role {role!r}{nearest(role, known)} (roles: {', '.join(known)})")
    found: tuple[Check, ...] = kit[role].load()()
    return found


def check_plugin(
    role: str,
    plugin: str | type[Plugin],
    *,
    registry: Registry | None = None,
    config: PluginConfig | Mapping[str, Any] | None = None,
    solver: str = SOLVER,
    scene: str | None = None,
) -> Report:
    """Run all checks of a role on a plugin.

    Args:
        role: name of the role.
        plugin: a class, or the name of an installed plugin.
        registry: registry for names; by default the installed plugins.
        config: the plugin's settings; by default those of its Config.
        solver: name of the QP solver for plugins that take one.
        scene: for a controller that needs a particular body: a scene in which it drives a body.

    Raises:
        PluginError: if the plugin cannot be found or loaded, or rejects these settings. Later
            errors are in the report.
    """
    wanted = checks(role)
    subject = subject_of(role, plugin, registry, config, solver, scene)
    results = tuple(_result(check, subject) for check in wanted)
    return Report(role, subject.cls.name, results)


def assert_conforms(role: str, plugin: str | type[Plugin], **options: Any) -> None:
    """Assert that a plugin passes all checks of its role.

    Args:
        role: name of the role.
        plugin: a class, or the name of an installed plugin.
        options: of ``check_plugin``.

    Raises:
        AssertionError: if it does not pass; contains the whole table.
    """
    report = check_plugin(role, plugin, **options)
    if not report.ok:
        raise AssertionError(f"\n{report}")


def _result(check: Check, subject: Subject) -> Result:
    start = time.perf_counter()
    try:
        finding = check.examine(subject)
    except NotApplicable as why:
        return Result(check, "skipped", Finding(True, str(why)), time.perf_counter() - start)
    outcome = "passed" if finding.passed else "failed"
    return Result(check, outcome, finding, time.perf_counter() - start)  # type: ignore[arg-type]
