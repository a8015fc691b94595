"""Arrays of a simulator: read-only or copies, never resized; counts of a state are checked."""

import numpy as np
import pytest

import footfall
from footfall import SimulationError


@pytest.fixture(params=["humanoid/standing", "cube/stack"])
def sim(request):
    found = footfall.load(request.param)
    found.step()
    return found


def arrays_of(value, path):
    """Yield all arrays in attributes, tuples and mappings, with their path."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, dict | tuple | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in parts:
            yield from arrays_of(part, f"{path}[{key!r}]")
    if hasattr(value, "_fields") or hasattr(value, "__dataclass_fields__"):
        for name in getattr(value, "_fields", None) or value.__dataclass_fields__:
            yield from arrays_of(getattr(value, name), f"{path}.{name}")


def test_arrays_of_a_world_cannot_be_written_or_resized(sim):
    parts = [n for n in vars(sim.world) if not n.startswith("_") and n != "collider"]
    found = [one for n in parts for one in arrays_of(getattr(sim.world, n), n)]
    assert len(found) > 130
    for path, array in found:
        assert not array.flags.writeable, path
        with pytest.raises(ValueError, match="resize"):
            array.resize(array.size + 1, refcheck=False)


def test_constants_of_robots_and_found_contacts_cannot_be_written(sim):
    found = [one for body in sim.world.bodies for one in arrays_of(body.model, body.name)]
    found.append(("motors", sim.driving.motors))
    if sim.world.collider is not None:
        detector = sim.world.collider.detector
        found += [(name, getattr(detector, name)) for name in ("groups", "excluded")]
        found += [(name, getattr(detector.found, name)) for name in ("shape_a", "key", "normal")]
        assert detector.found.n > 30
    for path, array in found:
        assert not array.flags.writeable, path


def test_of_a_state_only_positions_and_velocities_can_be_written(sim):
    for name in ("tick", "touching", "impulse", "ledger"):
        with pytest.raises(ValueError, match="read-only"):
            sim.state[name][...] = 1.0
    for array in (sim.state.vector, sim.state.grown, sim.row, sim.signal("q"), sim.signal("com")):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0.0
    sim.q[2] += 0.25
    assert sim.state["q"][2] == sim.q[2]
    for array in (sim.q, sim.v, sim.state.vector):
        with pytest.raises(ValueError, match="resize"):
            array.resize(1, refcheck=False)


@pytest.mark.parametrize("count", [-1, 100, 2**62])
def test_a_vector_with_a_wrong_number_of_contacts_is_refused(count):
    sim = footfall.load("cube/stack")
    sim.step()
    before, state = sim.state.vector.copy(), sim.state
    numbers, place = before.copy(), state["detected"].ctypes.data - state.vector.ctypes.data
    numbers.view(np.int64)[place // 8] = count
    with pytest.raises(SimulationError, match="detected contacts"):
        state.assign(numbers)
    assert (state.vector == before).all()


def test_states_of_a_batch_are_read_only():
    with footfall.Batch("cube/drop", 2) as batch:
        with pytest.raises(ValueError, match="read-only"):
            batch.states[:] = 0.0
        before = batch.states.copy()
        batch.q[:, 2] += 1.0
        assert np.count_nonzero(batch.states != before) == 2
