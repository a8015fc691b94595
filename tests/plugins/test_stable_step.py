"""Laws that give way know their longest step: scenes beyond it are refused, or made in parts."""

import numpy as np
import pytest

import footfall
import footfall_run.resolve.sources
from footfall import SceneError
from footfall_watch import stable_step, start_check
from footfall_watch.causes import cause_of
from footfall_watch.unsteady import Chatter

SLIDING = {"contact.plugin": "compliant", "simulation.time_step": 5e-3}


def ball(step, mass=1.0):
    """A ball of 1 kg that rests on springs and dampers, pushed down a little."""
    depth = mass * 9.81 / 2e4
    return footfall.scene_from_dict(
        {
            "simulation": {"duration": 1.0, "time_step": step},
            "world": {"terrain": {"friction": 0.5}},
            "bodies": {
                "ball": {
                    "shape": {"type": "sphere", "radius": 0.1},
                    "mass": mass,
                    "base_position": [0.0, 0.0, 0.1 - depth],
                    "base_linear_velocity": [0.0, 0.0, -1e-4],
                }
            },
            "collisions": {"ground": "shapes"},
            "contact": {"plugin": "regularized", "stiffness": 2e4, "damping": 1e2},
        }
    )


def unchecked(scene, monkeypatch):
    """Assemble what would be refused."""
    monkeypatch.setattr(start_check, "check_step", lambda *_: 1)
    return footfall.assemble(scene)


def energies(sim, duration):
    steps = round(duration / sim.time_step)
    rows = np.zeros((steps, sim.layout.width))
    sim.make_steps(rows, 0, steps)
    at = [sim.layout.slice_of(name).start for name in ("kinetic_energy", "dissipated_energy")]
    return rows[:, at].T


def fall(values):
    return np.max(np.maximum.accumulate(values) - values)


@pytest.mark.parametrize(("mass", "step"), [(1.0, 10e-3), (0.25, None)])
def test_the_bound_of_a_ball_is_that_of_one_spring_and_damper(mass, step, monkeypatch):
    """``W (k h^2 + 2 d h) = 4`` with ``W = 1/m``: 10 ms of 1 kg."""
    sim = unchecked(ball(1e-3, mass), monkeypatch)
    h = stable_step.longest_step(sim)
    assert h == pytest.approx(step or h, rel=1e-9)
    assert (2e4 * h**2 + 2.0 * 1e2 * h) / mass == pytest.approx(4.0, rel=1e-9)


@pytest.mark.parametrize(("part", "grows"), [(0.97, False), (1.03, True)])
def test_a_ball_comes_to_rest_up_to_the_bound_and_shakes_beyond_it(part, grows, monkeypatch):
    sim = unchecked(ball(part * 10e-3), monkeypatch)
    kinetic, _ = energies(sim, 3.0)
    assert bool(kinetic[-20:].max() > kinetic[:20].max()) is grows


def test_a_level_cube_rocks_on_its_corners_with_six_times_its_mobility(monkeypatch):
    """Four corners at a/2 about the inertia m a^2/6: ``4 (a/2)^2 / (m a^2/6) = 6/m``."""
    monkeypatch.setattr(start_check, "check_step", lambda *_: 1)
    sim = footfall.load("cube/sliding", {"contact.plugin": "regularized"})
    h = stable_step.longest_step(sim)
    assert 6.0 * (2e4 * h**2 + 2.0 * 1e2 * h) == pytest.approx(4.0, rel=1e-6)


def test_a_scene_beyond_the_bound_is_refused_with_the_step_that_would_do():
    with pytest.raises(SceneError, match=r"simulation\.time_step: 0\.005 s .* use 0\.002 s"):
        footfall.load("cube/sliding", SLIDING)
    sim = footfall.load("cube/sliding", SLIDING | {"simulation.time_step": 2e-3})
    _, dissipated = energies(sim, 1.5)
    assert fall(dissipated) < 1e-3 * 18.0


def test_the_refused_scene_explodes(monkeypatch):
    """What is refused is wrong: without the check the same scene makes energy from nothing."""
    monkeypatch.setattr(start_check, "check_step", lambda *_: 1)
    sim = footfall.load("cube/sliding", SLIDING)
    _, dissipated = energies(sim, 1.5)
    assert fall(dissipated) > 18.0


@pytest.mark.parametrize("scene", ["cube/sliding", "cube/drop", "humanoid/drop"])
def test_parts_are_chosen_on_request(scene):
    sim = footfall.load(scene, SLIDING | {"simulation.substeps": "auto"})
    table = sim.provenance.resolved["scene"]["simulation"]
    assert table["time_step"] == 5e-3
    assert sim.time_step == pytest.approx(5e-3 / table["substeps"])
    assert table["substeps"] >= 3
    kinetic, dissipated = energies(sim, 1.5)
    # A landing errs by the first order of the step, 0.4 % here; what is unstable doubles in a few.
    assert fall(dissipated) < 1e-2 * kinetic.max()


def test_a_given_number_of_parts_counts_for_the_bound():
    with pytest.raises(SceneError, match="is too long for"):
        footfall.load("cube/sliding", SLIDING | {"simulation.substeps": 2})
    sim = footfall.load("cube/sliding", SLIDING | {"simulation.substeps": 3})
    assert sim.time_step == pytest.approx(5e-3 / 3)


def test_a_rigid_law_needs_one_part():
    sim = footfall.load("cube/sliding", {"simulation.substeps": "auto"})
    assert sim.provenance.resolved["scene"]["simulation"]["substeps"] == 1


def test_rows_and_commands_keep_to_whole_steps(tmp_path):
    """A controller without a rate is called, and a row kept, once a ``time_step``."""
    whole = footfall.load("quadruped/standing", {"simulation.substeps": 5})
    with whole.run(0.02, tmp_path / "run.zarr") as run:
        np.testing.assert_allclose(run["time"].values, 1e-3 * np.arange(20), atol=1e-12)
        tau = run["tau"].values
    assert len(tau) == 20
    assert {rate.period for rate in whole.participants.rates.values()} == {5}


def test_parts_without_a_need_are_the_steps_of_a_finer_scene():
    one = footfall.load("cube/drop", {"simulation.substeps": 4})
    other = footfall.load("cube/drop", {"simulation.time_step": 0.25e-3})
    for _ in range(400):
        one.step()
        other.step()
    np.testing.assert_array_equal(one.q, other.q)


def test_a_light_body_below_a_heavy_one_is_what_counts():
    def boxes(step):
        box = {"shape": {"type": "box", "size": [0.2, 0.2, 0.2]}, "friction": 0.5}
        bodies = {
            "low": box | {"mass": 1.0, "base_position": [0.0, 0.0, 0.1]},
            "high": box | {"mass": 1000.0, "base_position": [0.0, 0.0, 0.3]},
        }
        return footfall.scene_from_dict(
            {
                "simulation": {"duration": 0.5, "time_step": step},
                "world": {"terrain": {"friction": 0.5}},
                "collisions": {"ground": "shapes"},
                "bodies": bodies,
                "contact": {"plugin": "compliant"},
            }
        )

    with pytest.raises(SceneError, match="is too long for"):
        footfall.assemble(boxes(1e-3))
    sim = footfall.assemble(boxes(1e-4))
    _, dissipated = energies(sim, 0.5)
    assert fall(dissipated) < 1e-3 * 1001.0 * 9.81 * 0.01


def test_bodies_whose_contacts_are_found_later_count_with_the_law_alone():
    falling = {"bodies.cube_ball.base_position": [0.0, 0.0, 3.0]}
    sim = footfall.load("cube/stack", falling | {"contact.plugin": "compliant"})
    assert stable_step.longest_step(sim) == pytest.approx(1.0e-3, rel=0.02)
    alone = footfall.scene_from_dict(
        {
            "simulation": {"duration": 1.0},
            "world": {"terrain": {"friction": 0.5}},
            "collisions": {"ground": "shapes"},
            "bodies": {
                "box": {
                    "shape": {"type": "box", "size": [0.1, 0.1, 0.1]},
                    "base_position": [0.0, 0.0, 1.0],
                }
            },
            "contact": {"plugin": "compliant"},
        }
    )
    assert stable_step.longest_step(footfall.assemble(alone)) == 2e-3


def test_where_nothing_can_touch_no_step_is_too_long():
    swing = {"contact.plugin": "compliant", "simulation.time_step": 0.02}
    assert stable_step.longest_step(footfall.load("pendulum/swing", swing)) == np.inf


def test_continuous_time_has_parts_of_its_own():
    with pytest.raises(SceneError, match=r"simulation\.substeps.*has no effect"):
        footfall.load("disc/rolling", {"simulation.substeps": "auto"})


def test_resolve_prints_what_auto_came_to():
    scene = footfall.load_scene("cube/sliding", SLIDING | {"simulation.substeps": "auto"})
    rows = {row.key: row for row in footfall_run.resolve.sources.rows(scene)}
    made = rows["simulation.substeps"]
    assert made.value >= 3
    assert made.source.startswith('"auto"')


def test_a_cause_is_told_where_no_inertia_is_left():
    """In a run that has gone to pieces: what ends it is told, not what the alarm stumbled over."""
    sim = footfall.load("humanoid/standing", {"contact.plugin": "compliant"})
    sim.step()
    sim.stepper.world.dynamics.M[:] *= -1.0
    with pytest.raises(np.linalg.LinAlgError):
        stable_step.longest_step(sim)
    assert "too stiff here" in cause_of(sim, sim.row, Chatter(sim), 0, False, 1.0)


def two_feet(folder):
    """Write a trunk of 1000 kg above two feet of 0.1 kg on free slides; return a scene with it."""
    link = (
        '<link name="{}"><inertial><mass value="{}"/><inertia ixx="{}" iyy="{}" izz="{}" ixy="0" '
    )
    link += 'ixz="0" iyz="0"/></inertial></link>'
    joint = '<joint name="{0}_slide" type="prismatic"><origin xyz="{1} 0 0"/><parent link="trunk"/>'
    joint += '<child link="{0}"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" '
    joint += 'velocity="1"/></joint>'
    parts = [link.format("trunk", 1000, *(1000,) * 3)]
    for name, x in (("left", -0.5), ("right", 0.5)):
        parts += [link.format(name, 0.1, *(0.01,) * 3), joint.format(name, x)]
    (folder / "model.urdf").write_text(f'<robot name="two">{"".join(parts)}</robot>')
    foot = '[[contact_features]]\nframe = "{}"\nkind = "point"\npoints = [[0.0, 0.0, 0.0]]\n'
    text = '[model]\nfile = "model.urdf"\n' + foot.format("left") + foot.format("right")
    (folder / "robot.toml").write_text(text)
    return {
        "world": {"terrain": {"friction": 0.5}},
        "bodies": {"two": {"robot": str(folder)}},
        "contact": {"plugin": "compliant"},
    }


def test_one_foot_that_carries_all_is_as_stiff_as_its_load(tmp_path, monkeypatch):
    """``W (1.5 K h^2 + 2 D h) sqrt(d) = 4`` of a foot with ``W = 1/m``, ``d = (F/K)^(2/3)``."""
    scene = footfall.scene_from_dict({**two_feet(tmp_path), "simulation": {"time_step": 1e-4}})
    sim = unchecked(scene, monkeypatch)
    law = sim.stepper.law.config
    weight = 1000.2 * np.linalg.norm(sim.world.topology.gravity)
    for one_foot, load in ((False, weight / 2.0), (True, weight)):
        h, root = stable_step.longest_step(sim, one_foot=one_foot), (load / law.K) ** (1.0 / 3.0)
        found = (1.5 * law.K * h**2 + 2.0 * law.D * h) * root / 0.1
        assert found == pytest.approx(4.0, rel=1e-3)


def test_steps_that_one_foot_is_too_stiff_for_are_told(recwarn):
    """A humanoid stands on both soles up to 1.8 ms, on one up to 1.5 ms."""
    for step, told in ((1.5e-3, 0), (1.7e-3, 1)):
        keys = {"contact.plugin": "compliant", "simulation.time_step": step}
        footfall.load("humanoid/standing", keys)
        found = [str(w.message) for w in recwarn if "once one foot carries it" in str(w.message)]
        assert len(found) == told
    assert 'contact "compliant" once one foot carries it (up to 0.0015 s)' in found[0]
    assert found[0].endswith('use simulation.substeps = 2 or "auto"')
    # One foot only, or a stiffness that does not depend on the load: nothing more to tell.
    footfall.load("cube/sliding", {"contact.plugin": "compliant", "simulation.time_step": 2e-3})
    keys = {"contact.plugin": "regularized", "simulation.time_step": 2.4e-3}
    footfall.load("humanoid/standing", keys)
    assert not [w for w in recwarn if "once one foot" in str(w.message)][1:]
