"""The watch on runs: explosions, answers that are none and bodies that pass through are told."""

import numpy as np
import pytest

import footfall
from footfall import open_run
from footfall.cli.main import main
from footfall_watch import start_check
from footfall_watch.ground_touch import SUNK, SunkLinks
from footfall_watch.places import body_sizes, in_words
from footfall_watch.watch import GROWTH, TAKEN, Watch

BOX = {"shape": {"type": "box", "size": [0.2, 0.2, 0.2]}, "friction": 0.5}


@pytest.fixture
def unchecked(monkeypatch):
    """Scenes that would be refused for their step are run all the same."""
    monkeypatch.setattr(start_check, "check_step", lambda *_: 1)


def alarms(scene, overrides, duration=None):
    return footfall.load(scene, overrides).record(duration).alarms


def stacked(masses, law, step=1e-3, friction=0.5, **more):
    """Boxes on each other, the first mass below."""
    bodies = {
        f"box_{k}": BOX
        | {"mass": mass, "friction": friction, "base_position": [0.0, 0.0, 0.1 + 0.2 * k]}
        for k, mass in enumerate(masses)
    }
    return footfall.scene_from_dict(
        {
            "simulation": {"duration": 1.0, "time_step": step},
            "world": {"terrain": {"friction": friction}},
            "collisions": {"ground": "shapes"},
            "bodies": bodies,
            "contact": {"plugin": law},
            **more,
        }
    )


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("scene", "law", "step", "stable"),
    [
        ("cube/sliding", "compliant", 5e-3, "0.002 s"),
        ("humanoid/drop", "compliant", 5e-3, "0.0018 s"),
        ("cube/sliding", "regularized", 5e-3, "0.0026 s"),
    ],
)
def test_springs_that_steps_are_too_long_for_make_energy_and_it_is_told(scene, law, step, stable):
    found = alarms(scene, {"contact.plugin": law, "simulation.time_step": step})
    assert len(found) == 1
    assert "energy from nothing" in found[0]
    assert f'too long for contact "{law}" (stable up to {stable})' in found[0]
    assert found[0].startswith("t = 0.")
    assert scene.split("/")[0] in found[0].split(":")[1] + found[0].split(", at ")[1]


@pytest.mark.usefixtures("unchecked")
def test_a_heavy_body_on_a_light_one_under_springs_is_told():
    (line,) = footfall.assemble(stacked([1.0, 1000.0], "compliant")).record().alarms
    assert "energy from nothing" in line
    assert footfall.assemble(stacked([1.0, 1000.0], "coulomb")).record().alarms == ()


@pytest.mark.parametrize("law", ["ccp", "gauss_discrete"])
def test_answers_that_are_metres_per_second_off_are_told(law):
    (line,) = alarms("cube/sliding", {"contact.plugin": law})
    assert "natural map 2.1 m/s" in line
    assert "relaxation of Coulomb's law" in line


def test_a_body_that_sinks_beyond_its_size_is_told():
    soft = {"contact.plugin": "compliant", "contact.stiffness": 20.0, "contact.damping": 1.0}
    (line,) = alarms("cube/drop", soft)
    assert "a body of 100 mm is" in line
    assert line.endswith('contact "compliant" is too soft for the weight it carries')


def test_runs_shorter_than_a_stretch_are_looked_at():
    assert len(alarms("cube/sliding", {"contact.plugin": "ccp"}, 0.02)) == 1


def test_continuous_time_is_watched():
    stiff = {"contact.plugin": "compliant", "integrator.plugin": "rk4"}
    (line,) = alarms("cube/drop", stiff | {"simulation.time_step": 1e-2}, 1.0)
    assert "energy from nothing" in line
    assert "substeps" not in line


def test_exact_laws_raise_none_and_say_so_in_the_recording(tmp_path):
    sim = footfall.load("cube/sliding")
    report = sim.record(output=tmp_path / "run")
    assert report.alarms == ()
    with open_run(tmp_path / "run") as run:
        assert run.attrs["alarms"] == []


@pytest.mark.usefixtures("unchecked")
def test_the_recording_holds_the_alarm_that_the_report_has(tmp_path):
    overrides = {"contact.plugin": "compliant", "simulation.time_step": 5e-3}
    report = footfall.load("cube/sliding", overrides).record(output=tmp_path / "run")
    with open_run(tmp_path / "run") as run:
        assert run.attrs["alarms"] == list(report.alarms)
        time = float(report.alarms[0].split()[2])
        taken = run["dissipated_energy"].values
        before = taken[run["time"].values < time - 1e-9]
        scale = run["kinetic_energy"].values[: len(before)].max()
        assert np.max(np.maximum.accumulate(before) - before) <= TAKEN * scale


@pytest.mark.parametrize(("law", "code"), [("ccp", 1), ("coulomb", 0)])
def test_strict_runs_end_with_an_error_code(law, code, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    arguments = ["run", "cube/sliding", "--set", f"contact.plugin={law}", "--no-record"]
    for more, expected in (([], 0), (["--strict"], code)):
        with pytest.raises(SystemExit) as ended:
            main([*arguments, *more])
        assert (ended.value.code or 0) == expected
        assert ("ALARM" in capsys.readouterr().out) is bool(code)


@pytest.mark.usefixtures("unchecked")
def test_a_run_that_breaks_off_tells_what_went_wrong_before(capsys):
    scene = ["cube/sliding", "--set", "contact.plugin=compliant", "--duration", "20"]
    with pytest.raises(SystemExit) as ended:
        main(["run", *scene, "--set", "simulation.time_step=5e-3", "--no-record"])
    assert ended.value.code == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "not finite" in line
    assert "ALARM t = 0.04 s: energy from nothing" in line


def test_compare_marks_the_row(tmp_path):
    from footfall_compare.table import notes, rows

    laws = {"contact.plugin": ["coulomb", "ccp"]}
    comparison = footfall.compare("cube/sliding", laws, duration=0.3, output=tmp_path / "runs")
    assert [row[-1] for row in rows(comparison)] == ["", "ALARM"]
    (line,) = [note for note in notes(comparison) if "ALARM" in note]
    assert line.startswith("2 ALARM: t = ")


class Rows:
    """Rows of a simulator, with the energies that a test gives."""

    def __init__(self):
        self.sim = footfall.load("cube/sliding")
        self.watch = Watch(self.sim)

    def see(self, n=100, **columns):
        rows = np.zeros((n, self.sim.layout.width))
        for name, values in columns.items():
            rows[:, self.sim.layout.slice_of(name).start] = values
        self.watch.see(rows)
        return self.watch.found()["alarms"]


@pytest.mark.parametrize(("part", "told"), [(0.9, 0), (1.1, 1)])
def test_the_threshold_of_what_is_taken_is_a_thousandth_of_the_scale(part, told):
    """18 J of kinetic energy; within a stretch, across stretches, and row by row."""
    down = np.linspace(0.0, -part * TAKEN * 18.0, 100)
    assert len(Rows().see(kinetic_energy=18.0, dissipated_energy=5.0 + down)) == told
    across = Rows()
    across.see(kinetic_energy=18.0, dissipated_energy=np.linspace(0.0, 5.0, 100))
    assert len(across.see(kinetic_energy=18.0, dissipated_energy=5.0 + down[-1])) == told
    single = Rows()
    for value in down:
        found = single.see(1, kinetic_energy=18.0, dissipated_energy=5.0 + value)
    assert len(found) == told


def test_a_fall_that_is_made_good_within_a_stretch_is_seen():
    taken = 5.0 + np.concatenate([np.zeros(50), [-1.0], np.full(49, 3.0)])
    assert len(Rows().see(kinetic_energy=18.0, dissipated_energy=taken)) == 1


@pytest.mark.parametrize(("part", "told"), [(0.9, 0), (1.2, 1)])
def test_growth_counts_beyond_the_work_done(part, told):
    rows, grown = Rows(), 18.0 * (1.0 + part * GROWTH)
    rows.see(kinetic_energy=18.0)
    assert rows.see(kinetic_energy=2.0 * grown, work=2.0 * grown - 18.0) == []
    assert len(Rows().see(kinetic_energy=np.linspace(18.0, grown, 100))) == told


def test_what_is_not_finite_is_wrong():
    assert len(Rows().see(kinetic_energy=18.0, dissipated_energy=np.nan)) == 1


def test_an_alarm_is_given_once():
    rows = Rows()
    first = rows.see(kinetic_energy=18.0, dissipated_energy=np.linspace(0.0, -5.0, 100))
    assert rows.see(kinetic_energy=1e9, dissipated_energy=-1e9) == first


def test_the_size_of_a_body():
    """Of a cube its edge; ``2 sqrt(3/5)`` radii of a ball."""
    assert body_sizes(footfall.load("cube/sliding")) == [pytest.approx(0.1)]
    (ball,) = body_sizes(footfall.load("ball/rolling"))
    radius = footfall.load("ball/rolling").world.candidates.radius[0]
    assert ball == pytest.approx(2.0 * radius * np.sqrt(0.6))


SIDEWAYS = {"bodies.cube.base_linear_velocity": [5.0, 2.0, 0.0]}


@pytest.mark.parametrize(
    ("scene", "laws", "words"),
    [
        (
            "box/slope",
            {"contact.plugin": "ccp"},
            "slows sliding bodies too little or lifts them",
        ),
        ("cube/sliding", {"contact.plugin": "gauss"}, "up to 41.4 % beyond mu"),
        ("cube/sliding", {"contact.plugin": "lcp"} | SIDEWAYS, "friction up to 8.24 % beyond mu"),
        ("box/slope", {"contact.plugin": "regularized"}, "creep at up to 0.01 m/s"),
        (
            "cube/drop",
            {
                "contact.plugin": "gauss_de_saxce",
                "contact.sides": 64,
                "impact.plugin": "frictional",
            },
            'impact "frictional" has friction up to 41.4 % beyond mu',
        ),
    ],
)
def test_what_a_law_declares_to_miss_is_told_where_the_run_has_met_it(scene, laws, words):
    (line,) = footfall.load(scene, laws).record(0.33).notes
    assert words in line


@pytest.mark.parametrize(
    ("scene", "law"),
    [
        ("cube/sliding", "coulomb"),
        ("cube/sliding", "pinocchio_constraints"),
        ("icub/standing", "ccp"),
        ("icub/standing", "lcp"),
        ("icub/standing", "gauss"),
        ("cube/sliding", "compliant"),
    ],
)
def test_what_does_not_matter_is_not_told(scene, law):
    assert footfall.load(scene, {"contact.plugin": law}).record(0.3).notes == ()


def test_an_alarm_of_the_same_is_told_alone():
    report = footfall.load("cube/sliding", {"contact.plugin": "ccp"}).record(0.3)
    assert len(report.alarms) == 1
    assert report.notes == ()


def test_a_note_is_in_the_recording_and_marks_the_row_and_is_no_failure(tmp_path, monkeypatch):
    from footfall_compare.table import notes, rows

    scenes = {"contact.plugin": ["coulomb", "ccp"]}
    comparison = footfall.compare("box/slope", scenes, duration=0.3, output=tmp_path / "runs")
    assert [row[-1] for row in rows(comparison)] == ["", "note"]
    (line,) = [note for note in notes(comparison) if "ccp" in note and "note:" in note]
    assert line.startswith('2 note: contact "ccp"')
    with comparison.outcomes[1].open() as run:
        assert run.attrs["notes"] == list(comparison.outcomes[1].report.notes)
    monkeypatch.chdir(tmp_path)
    arguments = ["--set", "contact.plugin=ccp", "--duration", "0.3", "--no-record", "--strict"]
    with pytest.raises(SystemExit) as ended:
        main(["run", "box/slope", *arguments])
    assert not ended.value.code


@pytest.mark.filterwarnings("ignore:contact points start inside")
def test_energy_of_what_is_lifted_out_of_the_ground_is_told_as_such():
    sunk = {
        "bodies.cube.base_position": [0.0, 0.0, 0.02],
        "bodies.cube.base_linear_velocity": [0, 0, 0],
    }
    (found,) = alarms("cube/sliding", sunk, 0.2)
    assert "energy grows beyond the work done" in found
    assert "mm deep is lifted out: start it higher" in found


def test_what_is_told_of_a_deep_start_is_told_at_its_place():
    """Of two boxes that overlap by 100 mm, not at the one at rest, whose contacts push harder."""
    places = {"low": [0.0, 0.0, 0.1], "high": [0.0, 0.0, 0.2], "far": [4.0, 0.0, 0.1]}
    bodies = {name: BOX | {"base_position": place} for name, place in places.items()}
    bodies["far"]["mass"] = 100.0
    world = {"terrain": {"friction": 0.5}}
    scene = footfall.scene_from_dict({"world": world, "bodies": bodies})
    with pytest.warns(match="start inside each other"):
        sim = footfall.assemble(scene)
    (found,) = sim.record(0.3).alarms
    place, cause = found.split(", at ")[1].split(": ", 1)
    assert {name.split("/")[0] for name in place.split(" and ")} == {"low", "high"}
    assert cause == "a body 100 mm deep is lifted out: start it higher"


@pytest.mark.parametrize(
    ("length", "words"), [(0.02, "20 mm"), (0.99, "990 mm"), (1.0, "1 m"), (99.6, "99.6 m")]
)
def test_lengths_of_metres_are_told_in_metres(length, words):
    assert in_words(length) == words


PUSHED_OVER = {"bodies.humanoid.base_linear_velocity": [2.0, 0.0, 0.0]}


def test_a_robot_that_sinks_beside_its_contact_points_is_told_in_a_note():
    sim = footfall.load("humanoid/standing", PUSHED_OVER)
    (note,) = sim.record(2.0).notes
    assert "of humanoid is below the ground, by up to" in note
    assert note.endswith(
        'only contact points touch it ([collisions] ground = "shapes" lets shapes touch it)'
    )
    link = f"humanoid/{note.split(': ')[1].split(' of ')[0]}"
    assert sim.world.dynamics.pose[sim.world.link_names.index(link), 11] < 0.0
    assert 0.1 < float(note.split("t = ")[1].split(" s")[0]) < 2.0


def test_a_robot_whose_shapes_touch_the_ground_lies_on_it():
    shapes = PUSHED_OVER | {"collisions.ground": "shapes"}
    assert footfall.load("humanoid/standing", shapes).record(2.0).notes == ()


@pytest.mark.parametrize(("depth", "told"), [(0.9, 0), (1.1, 1)])
def test_links_are_told_from_a_tenth_of_a_metre_on(depth, told):
    """Of a link whose contact points stay out; those that were as deep at the start are not."""
    sim = footfall.load("humanoid/standing")
    watch = SunkLinks(sim)
    k = int(np.argmax(sim.world.dynamics.pose[:, 11]))
    com = sim.world.topology.com[k] @ sim.world.dynamics.pose[k, :9].reshape(3, 3)
    sim.stepper.world.dynamics.pose[k, 11] = -depth * SUNK - com[2]
    deep = SunkLinks(sim)
    for each, expected in ((watch, told), (deep, 0)):
        each.see(np.zeros((100, sim.layout.width)))
        assert len(each.found()["notes"]) == expected


def test_a_box_on_ground_that_moves_gets_no_energy_from_nothing():
    """What is taken falls there by as much as the integrator's own error: first order in dt."""
    box = {"shape": {"type": "box", "size": [0.2, 0.2, 0.2]}, "base_position": [0.0, 0.0, 0.1]}
    tables = {
        "world": {"terrain": {"plugin": "moving", "friction": 0.5}},
        "bodies": {"box": box | {"friction": 0.5}},
    }
    run = footfall.assemble(footfall.scene_from_dict(tables)).run(0.3)
    taken = run.dissipated_energy.values
    assert taken.max() - taken[-1] > 1e-3 * 0.49  # of the largest kinetic and potential energy
    assert run.attrs["alarms"] == []


def test_an_impact_model_beside_a_law_that_resolves_impacts_is_named():
    (line,) = alarms("cube/drop", {"impact.plugin": "inelastic"}, 0.5)
    assert line.endswith('resolves impacts, impact "inelastic" as well: leave impact.plugin out')
