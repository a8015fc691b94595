"""Of a model file nothing is dropped silently: each element and attribute has a fate."""

import re
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, fromstring

import pytest
from tests.cases import each
from tests.core.walker_urdf import walker

import footfall_import
from footfall.cli.main import main
from footfall_import.mjcf.coverage import ELEMENTS, MJCF, SECTIONS, losses
from footfall_import.urdf.coverage import URDF
from footfall_import.urdf.coverage import losses as urdf_losses

OF_BODIES = "(world)body"


def schema():
    """Yield the elements of MuJoCo's own schema with their keys here and their attributes."""
    mujoco = pytest.importorskip("mujoco")
    path = []
    text = re.sub(r"\n {20,}(?=\S)", " ", mujoco.mj_printSchema(False, False))
    for line in text.splitlines():
        match = re.match(r"( *)(\S+) +\(.\) *(.*)", line)
        if match is None:
            continue
        depth = len(match[1]) // 3
        path = [*path[:depth], match[2]]
        if depth == 0 or path[1] in SECTIONS:
            continue
        if path[1] == OF_BODIES:
            key = "body" if depth == 1 else path[2]
        elif path[1] == "actuator":
            key = "actuator"
        else:
            key = "/".join(path[1:3])
        if depth <= (1 if path[1] != OF_BODIES and path[1] not in ("asset", "equality") else 2) or (
            depth == 2
        ):
            yield key, match[3].split()


def test_every_element_that_mujoco_knows_has_a_fate():
    elements = dict(schema())
    assert {"joint", "geom", "option/flag", "equality/weld", "asset/mesh"} <= set(elements)
    bare = {"option", "compiler", "actuator", "asset", "equality", "keyframe", "contact", "tendon"}
    assert {key for key in elements if key not in bare} <= set(ELEMENTS)


def test_every_attribute_that_mujoco_knows_stands_in_the_table():
    missing = [
        f"{key}.{name}"
        for key, names in schema()
        for name in names
        if key in ELEMENTS
        and not any("*" in given or name in given.split() for given in ELEMENTS[key].values())
    ]
    assert missing == []


def file_with(key, attribute):
    """Return a document with one element that has one attribute."""
    top = Element("mujoco")
    section, _, tag = key.partition("/")
    if section in ("compiler", "option"):
        node = SubElement(top, section)
        node = SubElement(node, tag) if tag else node
    elif section == "actuator":
        node = SubElement(SubElement(top, "actuator"), "motor")
    elif tag:
        node = SubElement(SubElement(top, section), tag)
    else:
        node = SubElement(SubElement(SubElement(top, "worldbody"), "body"), key)
    node.set(attribute, "3")
    return top


GIVEN = [
    (key, attribute.replace("*", "anything"))
    for key, fates in ELEMENTS.items()
    for attributes in fates.values()
    for attribute in attributes.split()
]


@each(("key", "attribute"), GIVEN)
def test_what_is_not_honoured_is_told_with_its_value(key, attribute):
    found = losses(file_with(key, attribute))
    said = {(key, attribute), (key, "*")} & set(MJCF.said_elsewhere)
    fate = MJCF.fate(key, attribute)
    if said or fate not in ("told", "scene"):
        assert found == []
    else:
        (finding,) = found
        assert finding.subject == f"<{key}>"
        assert f'{attribute}="3"' in finding.text
        assert finding.lost == (fate == "told")


def test_what_the_table_does_not_know_is_told():
    (finding,) = losses(file_with("joint", "wobble"))
    assert (finding.lost, 'wobble="3"' in finding.text) == (True, True)
    (finding,) = losses(fromstring("<mujoco><worldbody><body><blob/></body></worldbody></mujoco>"))
    assert (finding.subject, finding.lost) == ("<blob>", True)
    (finding,) = losses(file_with("geom", "mas"))
    assert (finding.level, "did you mean 'mass'" in finding.text) == ("warning", True)


def test_what_is_honoured_is_read_somewhere():
    """An attribute in the table of which no reader speaks cannot act."""
    folder = Path(footfall_import.__file__).parent / "mjcf"
    text = "".join(p.read_text() for p in folder.glob("*.py") if p.name != "coverage.py")
    unread = {
        f"{key}.{attribute}"
        for key, fates in ELEMENTS.items()
        for attribute in fates.get("honoured", "").split()
        if f'"{attribute}"' not in text
    }
    # Read as "forcelimited" and "ctrllimited" are made of "forcerange" and "ctrlrange".
    assert unread <= {"actuator.forcelimited", "actuator.ctrllimited"}


@pytest.mark.parametrize(("kind", "told"), [("plane", True), ("box", False)])
def test_friction_of_the_ground_is_told(kind, told):
    geom = f'<geom type="{kind}" friction="0.3"/>'
    found = losses(fromstring(f"<mujoco><worldbody>{geom}</worldbody></mujoco>"))
    assert [finding.text for finding in found] == ['friction="0.3": not honoured'] * told


def test_a_free_joint_has_nothing_but_its_name():
    top = file_with("joint", "damping")
    assert losses(top) == []
    top.find("worldbody/body/joint").set("type", "free")
    (finding,) = losses(top)
    assert (finding.text, finding.lost) == ("damping: not honoured", True)


def test_a_urdf_without_other_things_loses_nothing():
    assert urdf_losses(fromstring(walker())) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<dynamics", '<dynamics wobble="3"', 'wobble="3"'),
        ("<dynamics", '<spring rate="3"/><dynamics', 'rate="3"'),
        ("<collision>", '<collision group="3">', 'group="3"'),
        ("<joint ", "<loop_joint/><joint ", "the element"),
    ],
)
def test_what_a_urdf_has_beyond_the_table_is_told(old, new, said):
    text = walker()
    text = text if old in text else text.replace("<axis", "<dynamics damping='0'/><axis")
    findings = urdf_losses(fromstring(text.replace(old, new)))
    assert findings
    assert all(finding.lost and said.split("=")[0] in finding.text for finding in findings)


def test_tables_name_every_element():
    for coverage in (MJCF, URDF):
        table = coverage.table()
        assert all(f"| `{element}` |" in table for element in coverage.elements)


def test_strict_refuses_what_is_lost(tmp_path, capsys):
    (tmp_path / "walker.urdf").write_text(walker())
    call = ["import", f"{tmp_path}/walker.urdf", "--dry-run", "--strict"]
    with pytest.raises(SystemExit) as ended:
        main(call)
    assert not ended.value.code
    (tmp_path / "walker.urdf").write_text(walker().replace("<collision>", '<collision group="3">'))
    with pytest.raises(SystemExit) as ended:
        main(call)
    assert ended.value.code
    assert "--strict: <collision>: group" in capsys.readouterr().err.replace("\n", " ")
