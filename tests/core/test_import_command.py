"""``footfall import``: what it writes runs; what it cannot take is one line."""

import os
import shutil
import struct
import sys
import tomllib
from functools import partial

import pytest
from tests.command_line import run_command
from tests.core.walker_urdf import inertial, revolute, walker

from footfall.api.plugin import RobotError
from footfall.cli.main import main
from footfall.model.robot import load_robot
from footfall.scene.load import load_scene
from footfall_import.checks import Finding
from footfall_import.locate import locate, short_names
from footfall_import.report import print_findings


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def imports(folder, capsys):
    """Return a function that imports and gives exit code, output and errors."""
    return partial(run_command, capsys, "import")


def box_stl(path, size=(0.2, 0.1, 0.04)):
    """Write a box as a binary STL."""
    corners = [[s * 0.5 * size[i] for i, s in enumerate(c)] for c in SIGNS]
    facets = [(a, b, c) for a in range(8) for b in range(a) for c in range(b)]
    body = b"".join(
        struct.pack("<12fH", 0, 0, 0, *corners[a], *corners[b], *corners[c], 0)
        for a, b, c in facets
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\0" * 80 + struct.pack("<I", len(facets)) + body)


SIGNS = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]


def test_a_users_urdf_is_copied_with_its_meshes_and_the_folder_is_whole_by_itself(folder, imports):
    box_stl(folder / "mine" / "walker_description" / "meshes" / "foot.stl")
    uri = "package://walker_description/meshes/foot.stl"
    urdf = folder / "mine" / "walker_description" / "urdf" / "walker.urdf"
    urdf.parent.mkdir()
    urdf.write_text(walker(f'<geometry><mesh filename="{uri}"/></geometry>'))
    code, out, err = imports(str(urdf), "--output", "made")
    assert code == 0
    assert [line for line in err.splitlines() if not line.startswith("trying made for ")] == []
    assert "footfall run made/standing" in out
    shutil.rmtree(folder / "mine")
    shutil.move(folder / "made", folder / "elsewhere")
    robot = load_robot("elsewhere")
    assert [feature.frame for feature in robot.spec.contact_features] == ["l_foot", "r_foot"]
    assert (folder / "elsewhere" / "meshes" / "foot.stl").is_file()
    scene = load_scene("elsewhere/standing")
    assert scene.name == "elsewhere/standing"


def test_a_dry_run_writes_nothing(folder, imports):
    (folder / "walker.urdf").write_text(walker())
    code, out, _ = imports("walker.urdf", "--dry-run")
    assert code == 0
    assert "nothing written" in out
    assert [path.name for path in folder.iterdir()] == ["walker.urdf"]


def test_the_mass_is_that_of_all_links_also_of_what_is_held(folder, imports):
    (folder / "one.urdf").write_text(
        f'<robot name="one"><link name="a">{inertial(1.5)}</link></robot>'
    )
    code, out, _ = imports("one.urdf", "--base", "fixed", "--untried", "--dry-run")
    assert code == 0
    assert "1 links, 0 joints, 1.5 kg" in out


def test_an_earlier_import_is_replaced_only_if_asked(folder, imports):
    (folder / "walker.urdf").write_text(walker())
    assert imports("walker.urdf")[0] == 0
    code, _, err = imports("walker.urdf")
    assert code == 1
    assert err == "error: walker exists: choose another --output or add --overwrite\n"
    assert imports("walker.urdf", "--overwrite")[0] == 0
    assert imports(".", "--output", "elsewhere")[0] == 1  # the copy is a second model


def test_a_folder_that_is_no_robot_is_never_overwritten(folder, imports):
    (folder / "walker.urdf").write_text(walker())
    (folder / "precious").mkdir()
    (folder / "precious" / "thesis.tex").write_text("x")
    code, _, err = imports("walker.urdf", "--output", "precious", "--overwrite")
    assert code == 1
    assert "holds no robot.toml" in err
    assert [path.name for path in (folder / "precious").iterdir()] == ["thesis.tex"]


def test_what_the_user_chooses_is_taken(folder, imports):
    (folder / "walker.urdf").write_text(walker())
    chosen = ("--name", "tom", "--base", "floating", "--feet", "l_foot", "--untried")
    assert imports("walker.urdf", *chosen)[0] == 0
    written = tomllib.loads((folder / "tom" / "robot.toml").read_text())
    assert [feature["frame"] for feature in written["contact_features"]] == ["l_foot"]
    assert load_scene("tom/standing").bodies["tom"].base is None
    assert imports("walker.urdf", "--base", "fixed", "--output", "arm")[0] == 0
    written = tomllib.loads((folder / "arm" / "robot.toml").read_text())
    assert written["base"] == "fixed"
    assert "contact_features" not in written


BALL = '<link name="ball"/>' + revolute("j", "trunk", "ball", "0 0 0").replace("revolute", "screw")
NOWHERE = revolute("j", "trunk", "l_fot", "0 0 0")
WEIGHTLESS = '<link name="ghost"/>' + revolute("j", "trunk", "ghost", "0 0 0")
BAD = inertial(1).replace('ixx="0.01', 'ixx="-0.01')
NEGATIVE = f'<link name="anti">{BAD}</link>' + revolute("j", "trunk", "anti", "0 0 0")
LOST = '<geometry><mesh filename="package://nowhere/foot.stl"/></geometry>'

REFUSED = {
    "not XML": ("hello", (), "walker.urdf:1: malformed XML"),
    "another format": ("<svg/>", (), "is no URDF, MJCF or SDF: it begins with <svg>"),
    "SDF": ("<sdf/>", (), "holds no model"),
    "no link": ('<robot name="r"/>', (), "holds no link"),
    "joint to nowhere": (walker(extra=NOWHERE), (), 'joint "j": no link "l_fot", did you mean'),
    "joint type": (walker(extra=BALL), (), "joint \"j\": type 'screw' is not supported"),
    "no mass": (walker(extra=WEIGHTLESS), (), 'joint "j": link "ghost" that it moves has no mass'),
    "negative inertia": (walker(extra=NEGATIVE), (), 'link "anti": inertia is not positive'),
    "missing mesh": (walker(LOST), (), "1 collision mesh not found: package://nowhere/foot.stl"),
    "no such foot": (walker(), ("--feet", "l_fot"), "no link \"l_fot\", did you mean 'l_foot'?"),
    "foot without shape": (walker(), ("--feet", "l_shank"), "has no collision shape to stand on"),
    "feet of an arm": (walker(), ("--feet", "l_foot", "--base", "fixed"), "--feet has no effect"),
    "no such base": (
        walker(),
        ("--base", "fixd"),
        "'floating' or 'planar' or 'fixed', got 'fixd', did you mean",
    ),
    "no such posture": (walker(), ("--posture", "sit"), 'the model has no posture "sit"'),
    "output is a file": (walker(), ("--output", "walker.urdf"), "is a file"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_imported_is_one_line_and_writes_nothing(folder, imports, case):
    text, arguments, said = REFUSED[case]
    (folder / "walker.urdf").write_text(text)
    code, _, err = imports("walker.urdf", *arguments)
    assert code == 1
    assert err.startswith("error: ")
    assert said in err
    assert err.count("\n") == 1
    assert [path.name for path in folder.iterdir()] == ["walker.urdf"]


XACRO = """<robot name="it" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="half" default="0.1"/><xacro:include filename="$(find parts)/part.xacro"/>
<link name="a"><collision><geometry><sphere radius="${2 * $(arg half)}"/></geometry></collision>
<inertial><mass value="${mass}"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>"""
PART = '<robot xmlns:xacro="http://x"><xacro:property name="mass" value="3"/></robot>'


def test_a_xacro_is_expanded_with_its_arguments_if_wanted(folder, imports, monkeypatch):
    pytest.importorskip("xacro")
    (folder / "it.urdf.xacro").write_text(XACRO)
    code, _, err = imports("it.urdf.xacro", "--xacro")
    assert (code, err.count("\n")) == (1, 1)
    assert 'there is no package "parts"' in err
    (folder / "parts").mkdir()
    (folder / "parts" / "package.xml").write_text("<package><name>parts</name></package>")
    (folder / "parts" / "part.xacro").write_text(PART)
    code, _, err = imports("it.urdf.xacro", "--xacro-arg", "half:=0.2", "--untried")
    assert code == 0, err
    feature = tomllib.loads((folder / "it" / "robot.toml").read_text())["contact_features"][0]
    assert feature["radius"] == pytest.approx(0.4)
    assert "xacro" not in (folder / "it" / "model.urdf").read_text()
    (folder / "it.urdf.xacro").write_text(XACRO.replace("${mass}", "${no}"))
    code, _, err = imports("it.urdf.xacro", "--xacro", "--dry-run")
    assert (code, err.count("\n")) == (1, 1)
    assert "'no'" in err
    (folder / "it.urdf.xacro").write_text(XACRO)
    (folder / "parts" / "part.xacro").unlink()
    os.mkfifo(folder / "parts" / "part.xacro")
    code, _, err = imports("it.urdf.xacro", "--xacro", "--dry-run")
    assert (code, "parts/part.xacro: is not a file" in err) == (1, True)
    monkeypatch.setitem(sys.modules, "xacro", None)
    code, _, err = imports("it.urdf.xacro", "--xacro", "--dry-run")
    assert 'pip install -e ".[xacro]"' in err
    code, _, err = imports("it.urdf.xacro", "--xacro-arg", "half=0.2", "--dry-run")
    assert "must be NAME:=VALUE" in err


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("nupy", "no file, folder or installed package \"nupy\", did you mean 'numpy'?"),
        ("numpy", 'package "numpy"'),
        ("wolker.urdf", "no such file, did you mean 'walker.urdf'?"),
        ("nowhere/walker.urdf", "there is no folder nowhere"),
        ("walker.urdf.xacro", "is a xacro file, which evaluates expressions and reads files"),
        ("picture.png", "is not a .urdf, .xacro, .sdf, .world, .xml or .mjcf file"),
        ("stage.usda", "is a USD file, which is not read: convert it to a URDF or MJCF first"),
        ("empty", "the folder holds no URDF or MJCF file"),
        (".", "holds 2 models, name one"),
    ],
)
def test_a_model_that_is_not_there_is_one_line(folder, imports, reference, said):
    for name in ("walker.urdf", "other.urdf"):
        (folder / name).write_text(walker())
    for name in ("picture.png", "stage.usda"):
        (folder / name).write_text("")
    (folder / "walker.urdf.xacro").write_text(XACRO)
    (folder / "empty").mkdir()
    code, _, err = imports(reference)
    assert code == 1
    assert said in err
    assert err.count("\n") == 1


def test_all_findings_are_listed_before_the_first_is_the_error(folder, imports):
    second = NEGATIVE.replace("anti", "anti2").replace('"j"', '"k"')
    (folder / "walker.urdf").write_text(walker(extra=NEGATIVE + second))
    _, out, err = imports("walker.urdf")
    assert out.count("inertia is not positive definite") == 2
    assert '(also: link "anti2")' in err


def test_models_of_a_package_have_names_that_tell_them_apart():
    from pathlib import PurePosixPath as P

    places = [
        P("data/a_description/urdf/cat.urdf"),
        P("data/b/robots/cat.urdf"),
        P("x/dog/model.urdf"),
    ]
    assert list(short_names(places).values()) == ["a_description/cat", "b/cat", "dog"]


def test_findings_name_what_has_no_effect(folder, imports):
    lost = '<transmission name="t"><joint name="l_hop"/></transmission>'
    both = '<joint name="l_hip"/><joint name="r_hip"/>'
    coupled = f'<transmission name="d"><type>x/DifferentialTransmission</type>{both}</transmission>'
    extra = f'<gazebo/><gazebo reference="trunk"/>{lost}{coupled}'
    odd = walker(extra=extra).replace('<axis xyz="0 1 0"/>', '<axis xyz="0 2 0"/>', 1)
    odd = odd.replace('effort="200"', 'effort="0"', 1)
    odd = odd.replace("</joint>", '<mimic joint="r_hop"/></joint>', 1)
    (folder / "walker.urdf").write_text(odd)
    _, out, _ = imports("walker.urdf", "--dry-run")
    for said in (
        "2 elements, for other programs: not read",
        'names no joint "l_hop": not read',
        "axis has length 2",
        "effort limit is 0: not taken",
        'mimics "r_hop", which it cannot follow',
        "DifferentialTransmission",
    ):
        assert said in out


def test_notes_that_say_the_same_of_many_are_one_line(capsys):
    notes = [Finding("note", f"joint {k}", "is stiff") for k in range(29)]
    errors = [Finding("error", f"link {k}", "has no mass") for k in range(3)]
    print_findings([*notes, *errors])
    said = capsys.readouterr().out
    assert "joint 0, ... joint 28 (29)" in said
    assert [said.count(text) for text in ("is stiff", "has no mass")] == [1, 3]
    assert "3 errors, 0 warnings, 29 notes" in said


BROKEN = '<geometry><mesh filename="broken.stl"/></geometry>'
WEIGHED = (
    '<mujoco><asset><mesh name="t" file="broken.stl"/></asset><worldbody><body name="arm">'
    '<joint name="j"/><geom size="0.1"/><geom name="tip" type="mesh" mesh="t" {}/></body>'
    "</worldbody></mujoco>"
)
READ = "mesh cannot be read: no triangles"


@pytest.mark.parametrize(
    ("name", "text", "options", "said"),
    [
        ("w.urdf", walker(BROKEN), (), f'w.urdf: link "l_foot": collision: broken.stl: {READ}'),
        ("w.urdf", walker(BROKEN), ("--decompose",), 'w.urdf: link "l_foot": collision: '),
        (
            "w.xml",
            WEIGHED.format(""),
            (),
            'w.xml: <body> "arm": no mass can be computed for its geom "tip"',
        ),
        ("w.urdf", walker(LOST), (), 'foot.stl of link "l_foot" (package://'),
    ],
)
def test_a_mesh_that_cannot_be_read_is_named_with_its_file_and_link(
    folder, imports, name, text, options, said
):
    (folder / "broken.stl").write_bytes(b"no mesh")
    (folder / name).write_text(text)
    code, _, err = imports(name, *options)
    assert code == 1
    assert said in err
    assert err.count("\n") == 1


def test_of_a_mesh_that_weighs_nothing_a_warning_tells_that_it_cannot_be_read(folder, imports):
    (folder / "broken.stl").write_bytes(b"no mesh")
    drawn = WEIGHED.format('contype="0" conaffinity="0" density="0"')
    (folder / "w.xml").write_text(drawn)
    code, out, err = imports("w.xml", "--untried")
    assert code == 0, err
    assert f'{READ}, or corners that are not finite (link "arm")' in " ".join(out.split())


def test_package_paths_are_searched_and_must_exist(tmp_path, capsys):
    (tmp_path / "model").mkdir()
    (tmp_path / "else" / "parts").mkdir(parents=True)
    mesh = '<mesh filename="package://its_name/box.stl"/>'
    text = f'<robot name="it"><link name="a"><visual><geometry>{mesh}</geometry></visual></link>'
    (tmp_path / "model" / "it.urdf").write_text(f"{text}</robot>")
    manifest = "<package><name>its_name</name></package>"
    (tmp_path / "else" / "parts" / "package.xml").write_text(manifest)
    (tmp_path / "else" / "parts" / "box.stl").write_text("solid\nendsolid\n")
    there = ("import", f"{tmp_path}/model/it.urdf", "--base", "fixed", "--dry-run")
    for options, said in (((), "was not found"), (("--package-path", f"{tmp_path}/else"), "")):
        with pytest.raises(SystemExit):
            main([*there, *options])
        assert ("was not found" in capsys.readouterr().out) == bool(said)
    with pytest.raises(SystemExit):
        main([*there, "--package-path", f"{tmp_path}/none"])
    assert "--package-path" in capsys.readouterr().err


def test_an_sdf_beside_the_urdf_of_its_name_is_no_second_model(tmp_path):
    (tmp_path / "walker.urdf").write_text(walker())
    (tmp_path / "walker.sdf").write_text("<sdf/>")
    assert locate(str(tmp_path)).path.name == "walker.urdf"
    (tmp_path / "other.sdf").write_text("<sdf/>")
    with pytest.raises(RobotError, match="holds 2 models, name one"):
        locate(str(tmp_path))
