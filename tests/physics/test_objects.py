"""Objects that touch each other: stacks, a box on a box, collisions, rolling balls, a heap."""

import numpy as np
import pytest
from tests.cases import each, first

from footfall import assemble, scene_from_dict
from footfall.world.arrays import Energy
from footfall_stepper.world.step_arrays import RunSum
from footfall_validate.rotations import rotation_matrix

G = 9.81


def load(bodies, *, friction=0.5, gravity=(0.0, 0.0, -G), splits=4, **more):
    """Return a simulator of a scene on a plane."""
    return assemble(
        scene_from_dict(
            {
                "simulation": {"duration": 1.0, "max_impact_splits": splits},
                "world": {
                    "gravity": list(gravity),
                    "terrain": {"plugin": "plane", "friction": friction},
                },
                "bodies": bodies,
                **more,
            }
        )
    )


def steps(sim, n):
    """Make n steps."""
    for _ in range(n):
        sim.step()


def box(size, **more):
    """Return the table of a box."""
    return {"shape": {"type": "box", "size": list(size)}, "friction": 0.5, **more}


@pytest.mark.parametrize("mass", first(1.0, 0.01))
def test_a_stack_of_ten_boxes_rests_for_twenty_seconds(mass):
    stack = box((0.1, 0.1, 0.1), mass=mass, base_position=[0, 0, 0.05])
    sim = load({"b": {**stack, "copies": [1, 1, 10], "spacing": [0.0, 0.0, 0.1]}})
    start = sim.q.reshape(10, 7)[:, :3].copy()
    steps(sim, 20_000)
    drift = np.linalg.norm(sim.q.reshape(10, 7)[:, :3] - start, axis=1)
    assert drift.max() < 1e-3
    assert sim.stepper.monitor.run[RunSum.FAILURES] == 0  # no failed solve


def test_a_box_slips_on_a_moving_box_at_mu_g_times_both_masses():
    m1, m2, mu = 3.0, 1.0, 0.4

    def slip(force):
        sim = load(
            {
                "low": box((0.6, 0.6, 0.1), mass=m1, base_position=[0, 0, 0.05]),
                "high": box((0.2, 0.2, 0.05), mass=m2, base_position=[0, 0, 0.125]),
            },
            friction=0.0,
            pairs={"low/high": {"friction": mu}},
        )
        steps(sim, 20)
        start = sim.q[7] - sim.q[0]
        for _ in range(300):
            sim.push("low/object", force=(force, 0.0, 0.0))
            sim.step()
        return abs(sim.q[7] - sim.q[0] - start)

    limit = mu * G * (m1 + m2)
    assert slip(0.999 * limit) < 1e-9
    # Beyond the limit the boxes part with (F - limit) / m1.
    assert slip(1.001 * limit) == pytest.approx(0.5 * 0.001 * limit / m1 * 0.3**2, rel=0.02)


def test_impulses_between_tumbling_boxes_conserve_momentum():
    """``sum of M (v+ - v_free)``, moved to the world's origin, is zero in every step.

    Impacts are left to the law: v_free of a step that they split is that of its last part.
    """
    bodies = {
        "a": box((0.3, 0.2, 0.1), base_position=[0, 0, 1], base_linear_velocity=[2.0, 0.1, 0.0]),
        "b": box((0.2, 0.2, 0.2), base_position=[0.5, 0.05, 1.04], mass=2.0),
        "c": box((0.1, 0.4, 0.2), base_position=[0.72, -0.1, 0.9], mass=1.0),
    }
    bodies["a"]["base_angular_velocity"] = [1.0, -3.0, 2.0]
    sim = load(bodies, gravity=(0.0, 0.0, 0.0), splits=0)
    met = 0
    for _ in range(300):
        x, R = sim.q.reshape(3, 7)[:, :3].copy(), [rotation_matrix(q[3:]) for q in split(sim.q)]
        sim.step()
        dynamics, total, size = sim.world.dynamics, np.zeros(6), 1e-12
        for k in range(3):
            at = slice(6 * k, 6 * k + 6)
            change = dynamics.M[36 * k : 36 * k + 36].reshape(6, 6) @ (
                dynamics.v_new[at] - dynamics.v_free[at]
            )
            p = R[k] @ change[:3]
            total += np.concatenate([p, R[k] @ change[3:] + np.cross(x[k], p)])
            size += np.abs(change).sum()
        met += size > 1e-6
        np.testing.assert_allclose(total / size, 0.0, atol=1e-12)
    assert met > 5


def split(q):
    """Return the positions of each body."""
    return q.reshape(-1, 7)


def total_momentum(sim):
    """Linear and angular momentum about the world's origin of all bodies."""
    total = np.zeros(6)
    for body, q, v in zip(sim.world.bodies, split(sim.q), sim.v.reshape(-1, 6), strict=True):
        R = rotation_matrix(q[3:])
        p = body.model.link_mass[0] * (R @ v[:3])
        total[:3] += p
        total[3:] += R @ body.model.link_inertia[0] @ v[3:] + np.cross(q[:3], p)
    return total


@each("mu", [0.0, 0.5])
@each("e", [0.0, 0.7])
@each("dt", [1e-3, 5e-3])
def test_momentum_of_boxes_that_collide_off_centre_is_conserved(mu, e, dt):
    """Unequal moments of inertia, spinning, three bodies: linear and angular, to rounding."""
    bodies = {
        "a": box((0.3, 0.2, 0.1), base_position=[0, 0, 1], base_linear_velocity=[2.0, 0.1, 0.0]),
        "b": box((0.2, 0.2, 0.3), base_position=[0.5, 0.05, 1.04], mass=2.0),
        "c": box((0.1, 0.4, 0.2), base_position=[0.72, -0.1, 0.9], mass=1.0),
    }
    bodies["a"]["base_angular_velocity"] = [1.0, -3.0, 2.0]
    bodies["b"]["base_angular_velocity"] = [-2.0, 1.0, 4.0]
    for body in bodies.values():
        body |= {"friction": mu, "restitution": e}
    sim = load(bodies, gravity=(0.0, 0.0, 0.0), simulation={"duration": 1.0, "time_step": dt})
    start = total_momentum(sim)
    sim.stepper.observe(0.0)
    energy = sim.world.dynamics.energy[Energy.KINETIC]
    scale = np.repeat([np.linalg.norm(start[:3]), np.linalg.norm(start[3:])], 3)
    for _ in range(round(0.5 / dt)):
        sim.step()
        assert (np.abs(total_momentum(sim) - start) < 1e-12 * scale).all()
    assert np.linalg.norm(sim.v[6:9]) > 0.1, "the boxes have not met"
    assert sim.world.dynamics.energy[Energy.KINETIC] < 0.999 * energy


def test_a_push_in_flight_gives_its_angular_momentum():
    """A constant moment along the world's axes: ``L = L0 + M t``."""
    body = box((0.3, 0.2, 0.1), base_position=[0, 0, 1], base_angular_velocity=[1.0, -3.0, 2.0])
    sim = load({"a": body}, gravity=(0.0, 0.0, 0.0))
    start, moment = total_momentum(sim), np.array([0.02, -0.01, 0.03])
    for _ in range(500):
        sim.push("a/object", moment=moment)
        sim.step()
    np.testing.assert_allclose(total_momentum(sim)[3:], start[3:] + 0.5 * moment, atol=1e-13)


def test_balls_roll_on_a_box_that_is_dragged():
    """Twenty-five balls on a plate: box 0.7385, balls 2/7 of it along the force, [m/s^2]."""
    ball = {"shape": {"type": "sphere", "radius": 0.5}, "mass": 1.0, "friction": 0.8}
    ball |= {"base_position": [-4, -4, 1.5], "copies": [5, 5, 1], "spacing": [2.0, 2.0, 0.0]}
    plate = {"shape": {"type": "box", "size": [20, 20, 1]}, "mass": 10.0, "friction": 0.8}
    sim = load(
        {"plate": {**plate, "base_position": [0, 0, 0.5]}, "ball": ball},
        friction=0.4,
        pairs={"plate/terrain": {"friction": 0.4}},
    )
    along = np.array([np.cos(np.pi / 3), np.sin(np.pi / 3), 0.0])
    a = (150.0 - 0.4 * 35.0 * G) / (10.0 + 25.0 * 2.0 / 7.0)
    assert a == pytest.approx(0.7385, abs=1e-4)
    total, n = 0.0, 4000
    for k in range(n):
        sim.push("plate/object", force=150.0 * along)
        sim.step()
        q, v = split(sim.q), sim.v.reshape(-1, 6)
        t = (k + 1) * sim.time_step
        for body in range(26):
            speed = a * t * (1.0 if body == 0 else 2.0 / 7.0)
            error = rotation_matrix(q[body, 3:]) @ v[body, :3] - speed * along
            total += error @ error
    assert total / n <= 4.1e-7


@pytest.mark.long
def test_a_heap_of_balls_hardly_penetrates():
    """Of 216 balls of 10 kg dropped on each other: mean sum of squared depths, [m^2].

    Over the first 1.5 s, in which the heap is dense; later it spreads and the mean falls.
    """
    ball = {"shape": {"type": "sphere", "radius": 0.1}, "mass": 10.0, "friction": 0.0}
    ball |= {"base_position": [-0.55, -0.55, 0.15], "copies": [6, 6, 6], "spacing": [0.21] * 3}
    sim = load({"ball": ball}, friction=0.0)
    rng = np.random.default_rng(666)
    split(sim.q)[:, :2] += rng.uniform(-0.004, 0.004, size=(216, 2))
    sim.observe_start()
    total, n, most = 0.0, 1500, 0
    for _ in range(n):
        sim.step()
        gap = sim.world.detected.gap[: sim.stepper.collisions.count]
        total += float(np.square(np.minimum(gap, 0.0)).sum())
        total += float(np.square(np.minimum(sim.world.candidates.gap, 0.0)).sum())
        most = max(most, sim.stepper.problem.n_blocks)
    assert most > 250
    assert total / n <= 1.35e-4
