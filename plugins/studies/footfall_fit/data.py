"""Reader of measured motions: recordings and tables."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall import is_recording, open_run
from footfall.api.advanced import read_arrays
from footfall.api.plugin import Floats, FootfallError, RecordingError
from footfall_stepper.api import StepperSimulator

EVEN = 0.01
"""Largest relative deviation of the time between two rows from the usual one, [-]."""
UNIT = 1e-3
"""Largest deviation of a quaternion's length from 1, [-]."""


class DataError(FootfallError):
    """Measured data are invalid or do not fit the scene."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One measured motion, rows evenly spaced in time.

    Attributes:
        name: name in reports.
        group: name of the group; a group is held out as a whole.
        time: shape (n,), [s].
        q: shape (n, nq); v: shape (n, nv); both as in recordings.
        tau: shape (n, motors), torques from each row to the next; None: not measured.
        signals: further measured variables by name, shape (n, ...).
        derived: True if v is computed from differences of positions.
        recorded: True for a recording of Footfall; its torques come from the scene's controllers.
    """

    name: str
    group: str
    time: Floats
    q: Floats
    v: Floats
    tau: Floats | None = None
    signals: Mapping[str, Floats] = field(default_factory=dict)
    derived: bool = False
    recorded: bool = False

    @property
    def interval(self) -> float:
        """Time between two rows, [s]."""
        return float((self.time[-1] - self.time[0]) / (len(self.time) - 1))

    def part(self, first: int, last: int) -> Trajectory:
        """Return the rows from ``first`` to ``last`` inclusive."""
        at = slice(first, last + 1)
        signals = {name: values[at] for name, values in self.signals.items()}
        tau = None if self.tau is None else self.tau[at]
        name = f"{self.name} from {self.time[first]:.3g} s"
        parts = self.time[at], self.q[at], self.v[at]
        more = self.derived, self.recorded
        return Trajectory(name, self.group, *parts, tau, signals, *more)


def read_data(
    sources: Sequence[str | Path | Mapping[str, Any]],
    sim: StepperSimulator,
    signals: Sequence[str] = (),
) -> list[Trajectory]:
    """Read all trajectories.

    Args:
        sources: paths of recordings, ``.csv`` or ``.npz`` tables, or tables of arrays with the
            names of ``.npz`` files.
        sim: simulator of the scene; positions and velocities must match it.
        signals: names of further variables that each trajectory must have.

    Raises:
        DataError: if there are no data, or they do not fit the scene; names the place.
    """
    if isinstance(sources, str | Path | Mapping) or not len(sources):
        raise DataError("data: give a list of one or more recordings or tables")
    found = [one for place, source in enumerate(sources) for one in _read(source, place, sim)]
    for one in found:
        for name in signals:
            if name not in one.signals:
                raise DataError(f"{one.name}: has no {name!r}, which a residual needs")
    return found


def segments(trajectories: Sequence[Trajectory], length: float | None) -> list[Trajectory]:
    """Cut trajectories into parts of a length [s]; the last row of one starts the next."""
    if length is None:
        return list(trajectories)
    found = []
    for one in trajectories:
        rows, n = max(1, round(length / one.interval)), len(one.time)
        starts = list(range(0, n - 1, rows))
        if len(starts) > 1 and n - 1 - starts[-1] < (rows + 1) // 2:
            starts.pop()
        found += [one.part(a, b) for a, b in zip(starts, [*starts[1:], n - 1], strict=True)]
    return found


def _read(
    source: str | Path | Mapping[str, Any], place: int, sim: StepperSimulator
) -> Iterator[Trajectory]:
    if isinstance(source, Mapping):
        yield from _of_arrays(f"data[{place}]", source, sim)
        return
    path = Path(source)
    if not path.exists():
        raise DataError(f"{path}: there is no such file or folder")
    if is_recording(path):
        yield _of_recording(path, sim)
    elif path.suffix == ".csv":
        yield from _of_arrays(str(path), _csv(path, sim), sim)
    elif path.suffix == ".npz":
        try:
            arrays = read_arrays(path)
        except (OSError, ValueError) as error:
            told = f"{path} is not a readable file of arrays (.npz): {error}"
            raise DataError(told) from error
        yield from _of_arrays(str(path), arrays, sim)
    else:
        raise DataError(f"{path}: is not a recording or a .csv or .npz table")


def _of_recording(path: Path, sim: StepperSimulator) -> Trajectory:
    try:
        with open_run(path) as run:
            for what, own in (("position", sim.labels.position), ("velocity", sim.labels.velocity)):
                _check_names(str(path), own, [str(x) for x in run[what].values])
            rows = {"time": run["time"].values, "q": run["q"].values, "v": run["v"].values}
            if "joint_torque" in run:
                rows["tau"] = run["joint_torque"].values.reshape(len(rows["time"]), -1)
            more = [n for n in run.data_vars if n not in (*rows, "joint_torque")]
            rows |= {str(n): run[n].values for n in more if run[n].dims[:1] == ("time",)}
    except RecordingError as error:
        raise DataError(str(error)) from error
    return replace(next(_of_arrays(str(path), rows, sim)), recorded=True)


def _check_names(where: str, own: Sequence[str], given: Sequence[str]) -> None:
    """Check that the data have the scene's bodies and joints in its order.

    Raises:
        DataError: names the first difference.
    """
    if list(own) == list(given):
        return
    lacks = [name for name in own if name not in given]
    more = [name for name in given if name not in own]
    if lacks or more:
        told = f"{where} has no {lacks[0]!r}" if lacks else f"{where} has an extra {more[0]!r}"
        raise DataError(f"{told}: the scene has {', '.join(own[:8])}{' ...' * (len(own) > 8)}")
    raise DataError(f"{where}: has the scene's joints in another order")


def _csv(path: Path, sim: StepperSimulator) -> dict[str, Any]:
    """Read a table whose first line holds names."""
    if not path.is_file():
        raise DataError(f"{path}: is not a file")
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path} cannot be read: {error}") from error
    if len(lines) < 2:
        raise DataError(f"{path}: needs a line of names and rows of numbers")
    names = [name.strip() for name in lines[0]]
    columns: dict[str, list[float]] = {name: [] for name in names}
    for number, row in enumerate(lines[1:], start=2):
        if len(row) != len(names):
            raise DataError(f"{path}: line {number} has {len(row)} values, expected {len(names)}")
        for name, text in zip(names, row, strict=True):
            try:
                if "_" in text or not text.isascii():
                    raise ValueError("Python's own notation")
                columns[name].append(float(text))
            except ValueError:
                raise DataError(f"{path}: line {number}, {name}: not a number: {text!r}") from None
    return _gathered(str(path), {name: np.array(x) for name, x in columns.items()}, sim)


def _gathered(where: str, columns: dict[str, Floats], sim: StepperSimulator) -> dict[str, Any]:
    """Return arrays q, v and tau from columns with the names of recordings.

    In a scene with one body its name may be left out: ``x`` for ``cube/x``. Torques are named
    ``JOINT.torque``, joint velocities ``JOINT.rate``.
    """
    bodies, joints = sim.labels.body, sim.labels.joint
    alone = f"{bodies[0]}/" if len(bodies) == 1 else ""
    wanted = {
        "q": list(sim.labels.position),
        "v": [f"{x}.rate" if x in joints else x for x in sim.labels.velocity],
        "tau": [f"{x}.torque" for x in joints],
    }
    out: dict[str, Any] = {name: columns.pop(name) for name in ("time", "trajectory", "group")
                           if name in columns}  # fmt: skip
    for name, labels in wanted.items():
        known = [x if x in columns else x.removeprefix(alone) for x in labels]
        present = [x for x in known if x in columns]
        if present and len(present) < len(known):
            absent = next(x for x in known if x not in columns)
            raise DataError(f"{where} has no column {absent!r} beside {present[0]!r}")
        if present:
            out[name] = np.column_stack([columns.pop(x) for x in known])
    if columns:
        raise DataError(
            f"{where} has a column {next(iter(columns))!r}, unknown to this scene; known: time, "
            + ", ".join(wanted["q"][:8])
        )
    return out


def _of_arrays(
    where: str, arrays: Mapping[str, Any], sim: StepperSimulator
) -> Iterator[Trajectory]:
    """Yield the trajectories of a table of arrays.

    The arrays are ``time`` (n,) and ``q`` (n, nq), and optionally ``v`` (n, nv), ``tau``
    (n, joints), further signals, ``trajectory`` (n,) (the trajectory's number), and ``group`` (n,)
    (the group of trajectories that are not independent).
    """
    rest = dict(arrays)
    for name in ("time", "q"):
        if name not in rest:
            raise DataError(f"{where} has no {name!r}")
    time, numbers = _numbers(where, "time", rest.pop("time")), rest.pop("trajectory", None)
    if time.ndim != 1 or len(time) < 2:
        raise DataError(f"{where}: time has the shape {time.shape}, expected (n,) with n >= 2")
    shapes = {"q": len(sim.labels.position), "v": sim.world.nv, "tau": len(sim.labels.joint)}
    table = {name: np.asarray(values) for name, values in rest.items()}
    for name, values in table.items():
        if name in shapes and values.shape != (len(time), shapes[name]):
            raise DataError(
                f"{where}: {name} has the shape {values.shape}, this scene's is "
                f"({len(time)}, {shapes[name]}): {', '.join(sim.labels.position[:8])}"
            )
        if len(np.atleast_1d(values)) != len(time):
            raise DataError(f"{where}: {name} has {len(np.atleast_1d(values))} rows, time has "
                            f"{len(time)}")  # fmt: skip
    which = np.zeros(len(time), int) if numbers is None else np.asarray(numbers).reshape(-1)
    if len(which) != len(time):
        raise DataError(f"{where}: trajectory has {len(which)} rows, time has {len(time)}")
    breaks = np.flatnonzero(which[1:] != which[:-1]) + 1
    for a, b in zip([0, *breaks], [*breaks, len(time)], strict=True):
        name = where if numbers is None else f"{where}, trajectory {which[a]:g}"
        its = {key: values[a:b] for key, values in table.items()}
        yield _trajectory(name, time[a:b], its, sim)


def _trajectory(
    where: str, time: Floats, rows: dict[str, Any], sim: StepperSimulator
) -> Trajectory:
    _check_time(where, time)
    group = rows.pop("group", None)
    q, given = _numbers(where, "q", rows.pop("q")), rows.pop("v", None)
    q = _unit_quaternions(where, q, sim)
    v = _rates(time, q, sim) if given is None else _numbers(where, "v", given)
    tau = None
    if "tau" in rows:
        tau = _numbers(where, "tau", rows.pop("tau"))[:, sim.driving.motors]
    name = where if group is None else f"{where.split(', trajectory')[0]}, group {group[0]}"
    return Trajectory(where, name, time, q, v, tau, rows, given is None)


def _numbers(where: str, name: str, values: Any) -> Floats:
    try:
        array = np.array(values, float)
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}: {name} is not an array of numbers") from error
    rows = array.reshape(len(array), -1) if array.ndim else array.reshape(1, 1)
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        raise DataError(
            f"{where}: {name} is not finite in row {bad[0]} ({len(bad)} of {len(rows)}): remove "
            "such rows at the ends, or split the file there"
        )
    return array


def _check_time(where: str, time: Floats) -> None:
    if len(time) < 2:
        raise DataError(f"{where}: has a single row, needs at least two")
    steps = np.diff(time)
    usual = float(np.median(steps))
    bad = (
        np.flatnonzero(abs(steps - usual) > EVEN * abs(usual)) if usual > 0.0 else np.zeros(1, int)
    )
    if len(bad):
        k = int(bad[0])
        what = "a gap" if steps[k] > 0.0 else "a step back"
        raise DataError(
            f"{where}: time has {what} from row {k} ({time[k]:.6g} s) to the next "
            f"({time[k + 1]:.6g} s): rows are {usual:.6g} s apart; split the file there, or "
            "resample it"
        )


def _unit_quaternions(where: str, q: Floats, sim: StepperSimulator) -> Floats:
    topology, out = sim.world.topology, q.copy()
    for tree in np.flatnonzero(topology.floating):
        at = slice(int(topology.tree_q[tree]) + 3, int(topology.tree_q[tree]) + 7)
        size = np.linalg.norm(q[:, at], axis=1)
        bad = np.flatnonzero(abs(size - 1.0) > UNIT)
        if len(bad):
            raise DataError(
                f"{where}: the quaternion (x y z w) of row {bad[0]} has the length "
                f"{size[bad[0]]:.4g}"
            )
        out[:, at] /= size[:, None]
    return out


def _rates(time: Floats, q: Floats, sim: StepperSimulator) -> Floats:
    """Return velocities by central differences, at the ends by second-order one-sided ones."""
    from scipy.spatial.transform import Rotation

    topology, v = sim.world.topology, np.zeros((len(q), sim.world.nv))
    edge: Any = 2 if len(q) > 2 else 1
    for tree in np.flatnonzero(topology.floating):
        p, i = int(topology.tree_q[tree]), int(topology.tree_v[tree])
        turn = Rotation.from_quat(q[:, p + 3 : p + 7])
        linear = np.gradient(q[:, p : p + 3], time, axis=0, edge_order=edge)
        angular = (turn[:-1].inv() * turn[1:]).as_rotvec() / np.diff(time)[:, None]
        v[:, i : i + 3] = turn.inv().apply(linear)
        middle = 0.5 * (angular[1:] + angular[:-1])
        first, last = angular[:1], angular[-1:]
        if len(q) > 2:
            first, last = 1.5 * first - 0.5 * angular[1:2], 1.5 * last - 0.5 * angular[-2:-1]
        v[:, i + 3 : i + 6] = np.vstack([first, middle, last])
    dofs = np.flatnonzero(topology.dof_q >= 0)
    if len(dofs):
        v[:, dofs] = np.gradient(q[:, topology.dof_q[dofs]], time, axis=0, edge_order=edge)
    return v
