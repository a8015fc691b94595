"""Fits: parameters that recordings were made with are found again, and bad input is one line."""

import json

import numpy as np
import pytest
from tests.cases import first
from typer.testing import CliRunner

import footfall
from footfall.cli.main import app
from footfall.errors import FootfallError
from footfall_fit.parameters import Wanted, parameter

SLIDE = "cube/sliding"
PUSHED = """
[simulation]
duration = 0.5
[world.terrain]
friction = 0.3
[recorder]
interval = 10
[bodies.cube]
robot = "cube"
[[pushes]]
body = "cube"
link = "cube"
start = 0.05
duration = 0.3
force = [8.0, 2.0, 0.0]
point = [0.0, 0.02, 0.0]
"""
BOX = """
[simulation]
duration = 0.6
[world.terrain]
friction = 0.3
[recorder]
interval = 20
[collisions]
detect = false
[bodies.box]
shape = {type = "box", size = [0.2, 0.16, 0.1]}
mass = 2.0
center_of_mass = [0.0, 0.0, 0.0]
base_position = [0.0, 0.0, 0.05]
[[pushes]]
body = "box"
link = "object"
start = 0.05
duration = 0.2
force = [12.0, 0.0, 0.0]
point = [0.0, 0.05, 0.0]
[[pushes]]
body = "box"
link = "object"
start = 0.3
duration = 0.2
force = [0.0, 12.0, 0.0]
point = [-0.06, 0.0, 0.0]
"""
ACTUATORS = "bodies.rrbot.actuators"


def record(path, scene, seconds, **changes):
    given = {key.replace("__", "."): value for key, value in changes.items()}
    footfall.load(scene, {"recorder.interval": 10, **given}).run(seconds, output=path)
    return path


def motors(coulomb, viscous):
    return [{"joints": ["joint1"], "coulomb_friction": coulomb, "viscous_friction": viscous}]


@pytest.fixture(scope="module")
def slide(tmp_path_factory):
    return record(tmp_path_factory.mktemp("fit") / "slide.zarr", SLIDE, 0.4,
                  bodies__cube__friction=0.37)  # fmt: skip


@pytest.fixture(scope="module")
def table(slide):
    with footfall.open_run(slide) as run:
        return {name: run[name].values for name in ("time", "q", "v")}


def refused(table, parameters=("bodies.cube.friction",), scene=SLIDE, **options):
    with pytest.raises(FootfallError) as caught:
        footfall.fit(scene, [table], list(parameters), **options)
    told = str(caught.value)
    assert "\n" not in told
    return told


def test_friction_of_a_sliding_cube_is_found_by_exact_derivatives(slide):
    found = footfall.fit(SLIDE, [slide], ["bodies.cube.friction"])
    one = found.parameters["bodies.cube.friction"]
    assert one.start == 0.5
    assert one.value == pytest.approx(0.37, rel=1e-6)
    assert found.best.slopes.startswith("exact")
    assert found.best.start_error > 1.0 > found.best.error


@pytest.mark.long
def test_exact_slopes_and_differences_lead_to_the_same_values_and_intervals(table):
    noisy = {**table, "q": table["q"].copy()}
    noisy["q"][1:, :3] += np.random.default_rng(0).normal(0.0, 5e-4, (len(table["q"]) - 1, 3))
    one, other = (
        footfall.fit(
            SLIDE,
            [noisy],
            ["bodies.cube.friction"],
            residuals={"position": 0.002},
            gradients=how,
        )
        for how in ("exact", "differences")
    )
    assert (one.best.slopes, other.best.slopes) == (
        "exact derivatives (footfall.Rollout)",
        "central differences",
    )
    mine, its = one.parameters["bodies.cube.friction"], other.parameters["bodies.cube.friction"]
    assert mine.value == pytest.approx(its.value, rel=1e-4)
    assert mine.interval == pytest.approx(its.interval, rel=1e-3)
    low, high = mine.interval
    assert low < 0.37 < high
    assert high - low < 0.01


@pytest.mark.long
def test_mass_and_friction_of_a_pushed_box_are_found(tmp_path):
    scene = tmp_path / "pushed.toml"
    scene.write_text(PUSHED)
    true = {"bodies.cube.mass_scale": 1.3, "world.terrain.friction": 0.22}
    footfall.load(scene, true).run(output=tmp_path / "pushed.zarr")
    found = footfall.fit(scene, [tmp_path / "pushed.zarr"], list(true))
    assert found.values == pytest.approx(true, rel=0.01)
    assert "Batch" in found.best.played


@pytest.mark.long
def test_mass_centre_of_mass_and_friction_of_a_box_pushed_around_are_found(tmp_path):
    scene, path = tmp_path / "box.toml", tmp_path / "box.zarr"
    scene.write_text(BOX)
    com, keys = [0.02, -0.01], ["bodies.box.mass", "world.terrain.friction"]
    given = {keys[0]: 1.7, keys[1]: 0.22, "bodies.box.center_of_mass": [*com, 0.0]}
    footfall.load(scene, given).run(output=path)
    of_com = [f"bodies.box.center_of_mass.{k}" for k in range(2)]
    found = footfall.fit(scene, [path], [*keys, *of_com])
    assert list(found.values.values()) == pytest.approx([1.7, 0.22, *com], rel=0.01)


@pytest.mark.long
def test_friction_of_a_motor_is_found_also_from_pieces_of_the_motion(tmp_path):
    path = record(tmp_path / "arm.zarr", "rrbot/swing", 1.0, **{ACTUATORS: motors(0.35, 0.2)})
    keys = [f"{ACTUATORS}.0.coulomb_friction", f"{ACTUATORS}.0.viscous_friction"]
    start = {ACTUATORS: motors(1.0, 0.05)}
    found = footfall.fit("rrbot/swing", [path], keys, overrides=start, segment=0.25)
    assert found.pieces == 4
    assert list(found.values.values()) == pytest.approx([0.35, 0.2], rel=0.01)
    assert start == {ACTUATORS: motors(1.0, 0.05)}


def test_what_the_data_do_not_see_is_named_and_stays(table):
    found = footfall.fit(
        SLIDE,
        [table],
        ["bodies.cube.friction", "world.terrain.friction", "bodies.cube.mass_scale"],
        overrides={"world.terrain.friction": 0.5},
    )
    one, other, mass = found.best.estimates
    assert one.value == pytest.approx(0.37 * 0.5 / (2 * 0.5 - 0.37), rel=1e-3)  # harmonic mean
    assert other.value == 0.5
    assert other.unseen == "the data cannot tell its effect from that of bodies.cube.friction"
    assert mass.value == 1.0
    assert mass.unseen == "the data do not depend on it"
    assert mass.interval is None
    assert found.best.slopes.startswith("exact")  # which differences by the mass do not hinder
    assert "not fitted" in str(found)


@pytest.mark.long
def test_friction_that_holds_the_body_at_the_start_is_found_all_the_same(tmp_path):
    path = tmp_path / "held.zarr"
    scene = tmp_path / "pushed.toml"
    scene.write_text(PUSHED)
    gently = {"pushes.0.force": [4.0, 1.0, 0.0]}
    footfall.load(scene, {**gently, "world.terrain.friction": 0.22}).run(output=path)
    bounds = {"world.terrain.friction": (0.05, 3.0, 2.5)}
    found = footfall.fit(scene, [path], bounds, overrides=gently)
    assert found.values["world.terrain.friction"] == pytest.approx(0.22, rel=0.01)


@pytest.mark.long
def test_laws_are_ranked_by_what_was_held_out(table, tmp_path):
    rng = np.random.default_rng(1)
    several = [{**table, "q": table["q"] + rng.normal(0.0, 1e-4, 7)} for _ in range(3)]
    for one in several:
        one["q"][:, 3:] /= np.linalg.norm(one["q"][:, 3:], axis=1)[:, None]
    found = footfall.fit(
        SLIDE,
        several,
        {"bodies.cube.friction": (0.1, 1.0), "coulomb:world.terrain.restitution": (0.0, 0.9, 0.1)},
        laws=["compliant", "coulomb", "gauss_discrete"],
        overrides={"bodies.cube.base_position": [0.0, 0.0, 0.05]},
        folds=3,
        difference=1e-2,
        output=tmp_path / "out",
    )
    assert found.folds == 3
    scores = [one.held_out for one in found.laws if not one.refused]
    assert scores == sorted(scores)
    assert all(len(one.folds) == 3 for one in found.best.estimates)
    assert found.laws[0].law == "coulomb"
    told = json.loads((tmp_path / "out" / "fit.json").read_text())
    assert [one["law"] for one in told["laws"]] == [one.law for one in found.laws]
    page = (tmp_path / "out" / "fit.html").read_text()
    assert "The worst pieces under coulomb" in page
    assert "https://cdn" not in page.split("<script>")[0]


@pytest.mark.long
def test_a_table_of_several_motions_without_velocities_is_read(table, tmp_path):
    rows = len(table["time"])
    names = ["time", "trajectory", "x", "y", "z", "qx", "qy", "qz", "qw"]
    lines = [",".join(names)]
    for number in range(2):
        for k in range(rows):
            values = [table["time"][k], number, *table["q"][k]]
            lines.append(",".join(f"{x:.9g}" for x in values))
    path = tmp_path / "slides.csv"
    path.write_text("\n".join(lines))
    found = footfall.fit(SLIDE, [path], ["bodies.cube.friction"])
    assert found.trajectories == 2
    assert found.values["bodies.cube.friction"] == pytest.approx(0.37, rel=0.01)
    assert "have no velocities" in found.notes[0]


@pytest.mark.long
def test_torques_of_a_table_move_the_joints(tmp_path):
    sim = footfall.load("rrbot/swing", {"bodies.rrbot.mass_scale": 1.2})
    rows = {"time": [], "q": [], "v": [], "tau": []}
    for k in range(60):
        tau = np.array([2.0 * np.sin(0.3 * k), 1.0])
        for name, value in zip(rows, (0.01 * k, sim.q, sim.v, tau), strict=True):
            rows[name].append(np.copy(value))
        for _ in range(10):
            sim.step(tau)
    found = footfall.fit("rrbot/swing", [rows], ["bodies.rrbot.mass_scale"])
    assert found.values["bodies.rrbot.mass_scale"] == pytest.approx(1.2, rel=1e-6)


@pytest.mark.long
def test_forces_are_residuals_too(tmp_path):
    path = record(tmp_path / "rest.zarr", "cube/drop", 0.6, bodies__cube__mass_scale=1.4)
    found = footfall.fit("cube/drop", [path], ["bodies.cube.mass_scale"],
                         residuals={"contact_force": 0.5}, torques="scene")  # fmt: skip
    assert found.values["bodies.cube.mass_scale"] == pytest.approx(1.4, rel=0.01)
    assert found.units["contact_force"] == "N"


BAD_KEYS = {
    "bodies.cube.frixtion": "unknown key, did you mean 'friction'",
    "contact.plugin": "is not a number",
    "simulation.duration": "has no effect on how this scene moves",
    "bodies.cube.base_position.0": "sets the start, which the data give",
}


@pytest.mark.parametrize("key", first(*BAD_KEYS))
def test_keys_that_cannot_be_fitted_are_refused(table, key):
    assert BAD_KEYS[key] in refused(table, [key])


def changed(table, **changes):
    return {**{name: x.copy() for name, x in table.items()}, **changes}


def test_data_that_do_not_fit_are_refused(table):
    assert "has the shape" in refused(changed(table, q=table["q"][:, :6]))
    assert "joint1" in refused(table, ["bodies.rrbot.mass_scale"], "rrbot/swing")
    holes = changed(table)
    holes["q"][7, 1] = np.nan
    assert "q is not finite in row 7" in refused(holes)
    gap = changed(table)
    gap["time"][9:] += 0.05
    assert "time has a gap from row 8" in refused(gap)
    short = {name: x[:2] for name, x in table.items()}
    many = ["bodies.cube.friction", "bodies.cube.mass_scale", "world.gravity.0", "world.gravity.1"]
    assert "4 parameters, but the data have only 3 numbers" in refused(
        short, many, residuals={"position": 0.01}
    )
    assert "quaternion" in refused(changed(table, q=2.0 * table["q"]))
    assert "no 'q'" in refused({"time": table["time"]})
    assert "give a list" in refused_data(str(table))


def refused_data(data):
    with pytest.raises(FootfallError) as caught:
        footfall.fit(SLIDE, data, ["bodies.cube.friction"])
    return str(caught.value)


def test_options_that_are_none_are_refused(table):
    assert "loss is one of" in refused(table, loss="square")
    assert "segment must be a number > 0" in refused(table, segment=-1.0)
    assert "residual 'colour'" in refused(table, residuals={"colour": 1.0})
    assert "this scene has no such quantity" in refused(table, residuals={"joint_position": 1.0})
    assert "its bounds 2 to 1" in refused(table, ["bodies.cube.friction=2:1"])
    assert ">= 0" in refused(table, ["bodies.cube.friction=-1:1"])
    assert "is given twice" in refused(table, ["bodies.cube.friction"] * 2)


@pytest.mark.long
def test_the_command_prints_the_report_and_writes_it(slide, tmp_path):
    args = ["fit", SLIDE, str(slide), "--param", "bodies.cube.friction=0.1:1", "--residual",
            "position=0.002", "--output", str(tmp_path / "out")]  # fmt: skip
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output
    assert "0.37" in done.output
    assert (tmp_path / "out" / "fit.html").exists()
    again = CliRunner().invoke(app, args)
    assert again.exit_code != 0


def test_the_ranges_that_an_actuator_declares_bound_its_keys():
    """At least 0: `stribeck_friction`; above 0: `stribeck_exponent`. No run is needed to know."""
    table = {"plugin": "servo_friction", "joints": ["joint1"], "stribeck_friction": 0.1}
    given = {ACTUATORS: [{**table, "stribeck_exponent": 2.0, "coulomb_friction": 0.1}]}
    sim = footfall.load("rrbot/swing", given)
    for key, low in (("stribeck_friction", 0.0), ("stribeck_exponent", 1e-12)):
        path = f"{ACTUATORS}.0.{key}"

        def allowed(value, path=path):
            footfall.load_scene("rrbot/swing", {**given, path: value})

        found = parameter(Wanted(path), sim, allowed)
        assert (found.low, found.high) == (low, np.inf)
    with pytest.raises(FootfallError, match=r"stribeck_exponent: must be > 0, got -1"):
        parameter(Wanted(path, -1.0, 1.0), sim, allowed)
