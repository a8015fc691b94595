"""The sensors of a simulation: measured at the end of a step, with errors, delayed, recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from footfall.errors import PluginError, SettingError, nearest
from footfall.interfaces.sensor import Mount, Sensor, SensorBody, Signal
from footfall.interfaces.terrain import Terrain
from footfall.jit.compiling import binding_of
from footfall.jit.stages import Stage, Stages, bind_calling
from footfall.jit.tables import read_only, table_of
from footfall.model.devices import SensorSpec
from footfall.recording.layout import Layout, Variable, identifier
from footfall.typing import Floats
from footfall_stepper.devices.contact_forces import ContactForces
from footfall_stepper.devices.rates import period_of, whole_ticks
from footfall_stepper.kernels.step import measurement as sense
from footfall_stepper.world.state import COUNT, Part, State, own_parts
from footfall_stepper.world.world import World

SEED = "seed"
"""Part of the state that seeds random numbers, besides the tick."""
_NO_ROW = np.zeros(1)
Around = tuple[Terrain, ContactForces]
"""The ground, and the forces that act."""


@dataclass(frozen=True, slots=True)
class Sensing:
    """One sensor of a body.

    Attributes:
        body: the body on which it is mounted.
        sensor: the sensor's plugin.
        spec: name, rate, delay and errors.
        signals: the measured signals.
        period: ticks from one sample to the next.
        delay: ticks from a sample to its arrival.
    """

    body: SensorBody
    sensor: Sensor
    spec: SensorSpec
    signals: tuple[Signal, ...]
    period: int
    delay: int

    @property
    def width(self) -> int:
        """Number of components of all signals."""
        return sum(len(signal.components) for signal in self.signals)

    @property
    def title(self) -> str:
        """Name of its parts of the state."""
        return f"sensor.{self.body.name}.{self.spec.name}"

    def parts(self) -> tuple[Part, ...]:
        """List the parts of the state: samples in transit, and the last arrived one."""
        line = Part(f"{self.title}.line", (-(-self.delay // self.period) + 1, self.width))
        return line, Part(f"{self.title}.reading", (self.width,))


def sensing(
    body: SensorBody, sensor: Sensor, spec: SensorSpec, time_step: float, every: int = 1
) -> Sensing:
    """Check a sensor's table against the signals it measures on a body.

    Args:
        body: the body on which it is mounted.
        sensor: the sensor's plugin.
        spec: its table.
        time_step: [s].
        every: steps between samples if the table gives no rate.

    Raises:
        PluginError: if a frame, joint, foot or signal does not exist, or a period or a delay is
            not a whole number of steps.
    """
    signals = sensor.signals(body)
    names = [signal.name for signal in signals]
    for key in ("bias", "noise", "quantization"):
        for name, value in getattr(spec, key).items():
            if name not in names:
                raise PluginError(
                    f"{key}: {spec.plugin} measures no {name!r}{nearest(name, names)} "
                    f"(signals: {', '.join(names)})"
                )
            _spread(signals[names.index(name)], value, key)
    try:
        period = every if spec.rate is None else period_of(spec.rate, time_step)
        delay = whole_ticks(spec.delay, time_step, "delay")
    except SettingError as error:
        raise PluginError(error.reason) from error
    return Sensing(body, sensor, spec, signals, period, delay)


def _spread(signal: Signal, value: float | Sequence[float], key: str) -> Floats:
    """Return an error for each component; for an orientation three angles and a zero."""
    n = len(signal.components)
    if signal.kind == "switch" or (signal.kind == "quaternion" and key == "quantization"):
        raise PluginError(f"{key}: has no effect on {signal.name}, a {signal.kind}")
    count = 3 if signal.kind == "quaternion" else n
    given = np.atleast_1d(np.asarray(value, float))
    if len(given) not in (1, count):
        raise PluginError(f"{key}: {signal.name} takes 1 or {count} numbers, got {len(given)}")
    out = np.zeros(n)
    out[:count] = given
    return out


class SensorLine:
    """All sensors of a simulation, called once per step.

    Attributes:
        readings: the controllers' observations, by body and by name of the sensor.
    """

    __slots__ = ("_calls", "readings")

    def __init__(
        self,
        sensors: Sequence[Sensing],
        world: World,
        state: State,
        layout: Layout,
        around: Around,
    ) -> None:
        self.readings: dict[str, dict[str, object]] = {}
        self._calls: list[tuple[Callable[[Floats], None], sense.ErrorArrays]] = []
        places = sensor_places(sensors, layout)
        for number, (each, place) in enumerate(zip(sensors, places, strict=True)):
            errors = _errors(number, each, state, place.start)
            of_body = self.readings.setdefault(each.body.name, {})
            of_body[each.spec.name] = each.sensor.reading(each.body, errors.reading)
            mount = _mount(each, errors.raw, world, layout, around)
            measure = each.sensor.bound(mount)
            shown = measure if binding_of(measure) else partial(_measure, measure)
            self._calls.append((shown, errors))

    def begin(self, row: Floats) -> None:
        """Provide exact readings of the start before the first step; no force acts yet."""
        for measure, own in self._calls:
            measure(row)
            own.reading[:] = own.raw

    def stages(self, program: Stages) -> Iterator[Stage]:
        """Yield the stages that measure at the end of a step, and record the arrived samples."""
        for measure, own in self._calls:
            due = program.stage(measure, program.row)
            sample = bind_calling(sense.take_sample, own, due, like=(_NO_ROW, 0.0))
            yield program.stage(sample, program.row, program.now)


def _measure(measure: Callable[[Floats], None], row: Floats) -> None:
    """Call a sensor in Python with a row that it cannot write to."""
    measure(read_only(row))


def _errors(number: int, each: Sensing, state: State, at: int) -> sense.ErrorArrays:
    def spread(key: str) -> Floats:
        given: Mapping[str, float | tuple[float, ...]] = getattr(each.spec, key)
        parts = [
            _spread(signal, given[signal.name], key)
            if signal.name in given
            else np.zeros(len(signal.components))
            for signal in each.signals
        ]
        return np.concatenate(parts)

    ends = np.cumsum([len(signal.components) for signal in each.signals])
    return sense.ErrorArrays(
        call=np.zeros((0, 2), np.int64),
        raw=np.zeros(each.width),
        bias=spread("bias"),
        noise=spread("noise"),
        quantum=spread("quantization"),
        kind=np.array([sense.SignalForm[signal.kind.upper()] for signal in each.signals], np.int64),
        start=np.array([0, *ends], np.int64),
        period=np.array([each.period, each.delay, number, at], np.int64),
        seed=own_parts(state)[SEED],
        line=own_parts(state)[f"{each.title}.line"],
        reading=own_parts(state)[f"{each.title}.reading"],
    )


def _mount(each: Sensing, raw: Floats, world: World, layout: Layout, around: Around) -> Mount:
    index = world.index(each.body.name)
    feet = [name.partition("/")[::2] for name in world.foot_names]
    foot = {name: k for k, (body, name) in enumerate(feet) if body == each.body.name}
    return Mount(
        body=each.body,
        table=table_of(world.topology, world.joints, world.dynamics),
        columns=layout.starts,
        first_link=int(world.topology.tree_link[index]),
        first_q=int(world.topology.tree_q[index]),
        first_v=int(world.topology.tree_v[index]),
        index=index,
        foot=foot,
        gravity=read_only(world.topology.gravity),
        terrain=around[0],
        shapes=() if world.collider is None else world.collider.shapes,
        contact_force=around[1].bound,
        out=raw,
    )


def sensor_variables(sensors: Sequence[Sensing]) -> tuple[tuple[str, Variable, Signal], ...]:
    """Return name of the dimension, variable and signal of every measured signal."""
    several = len({each.body.name for each in sensors}) > 1
    found = []
    for each in sensors:
        of_body = f"{identifier(each.body.name)}_" if several else ""
        stem = f"sensor_{of_body}{each.spec.name}"
        for signal in each.signals:
            name, n = f"{stem}_{signal.name}", len(signal.components)
            dim = f"{name}_component"
            meaning = f"{signal.long_name}, as it has arrived after the step"
            found.append((dim, Variable(name, (dim,), (n,), signal.units, meaning), signal))
    return tuple(found)


def sensor_places(sensors: Sequence[Sensing], layout: Layout) -> tuple[slice, ...]:
    """Return the columns of each sensor's signals, which are contiguous, in the row."""
    places, variables = [], iter(sensor_variables(sensors))
    for each in sensors:
        mine = [next(variables)[1].name for _ in each.signals]
        places.append(slice(layout.slice_of(mine[0]).start, layout.slice_of(mine[-1]).stop))
    return tuple(places)


def seed_part(sensors: Sequence[Sensing]) -> tuple[Part, ...]:
    """Return the part of the state that seeds random numbers, if there are sensors."""
    return (Part(SEED, (1,), bounds=COUNT),) if sensors else ()
