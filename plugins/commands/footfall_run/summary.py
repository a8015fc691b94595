"""The report of a run as text."""

from __future__ import annotations

from footfall import RunReport


def summary(report: RunReport) -> list[tuple[str, str]]:
    """Return the report of a run as pairs of name and value."""
    energy = f"{report.energy_start:.6g} J to {report.energy_end:.6g} J"
    rows = [
        ("steps", f"{report.steps} ({report.simulated:g} s simulated)"),
        ("wall time", f"{report.wall:.3f} s"),
        ("time of a step", f"median {1e6 * report.typical_step:.1f} us"),
        ("real-time factor", f"{report.real_time_factor:.1f}"),
        *(_continuous(report) if report.evaluations else _residuals(report)),
        ("penetration", f"worst {1e3 * report.penetration_worst:.4f} mm"),
        ("solver iterations", f"mean {report.iterations:.2f} per step"),
        ("solver failures", str(report.solver_failures)),
        ("energy", energy + (f", {report.elastic:.3g} J of it elastic" if report.elastic else "")),
        (
            "energy balance",
            f"work {report.work:.4g} J, dissipated {report.dissipated:.4g} J, "
            f"integration {report.integration_error:.2e} J, "
            f"unaccounted {report.energy_balance:.1e} J",
        ),
    ]
    rows += [*report.law, *report.control]
    if report.impacts:
        rows.append(("impacts", f"{report.impacts}, {report.splits} of them split steps"))
    if report.unresolved_splits:
        rows.append(("impacts not separated", str(report.unresolved_splits)))
    if report.restitution_cuts:
        rows.append(("impacts with restitution cut", str(report.restitution_cuts)))
    rows += [("ALARM", line) for line in report.alarms] + [("note", line) for line in report.notes]
    if report.interrupted:
        rows.append(("interrupted", f"at {report.simulated:g} s"))
    rows.append(("recording", str(report.recording) if report.recording else "none"))
    return rows


def _residuals(report: RunReport) -> list[tuple[str, str]]:
    worst, median = report.natural_map_worst, report.natural_map_median
    return [
        ("natural-map residual", f"worst {worst:.1e} m/s, median {median:.1e} m/s"),
        ("distance to the cone", f"worst {report.cone_worst:.1e} N s"),
    ]


def _continuous(report: RunReport) -> list[tuple[str, str]]:
    return [
        ("inner steps", f"{report.inner_steps} ({report.evaluations} evaluations)"),
        ("events", str(report.events)),
    ]
