"""A URDF is read as it is meant, and every mistake in it is one line that names the place."""

import re
import time

import numpy as np
import pytest
from tests.cases import each
from tests.robots.sample_urdf import INERTIA, INERTIAL, LIMIT, arm, joint, link, write

from footfall.errors import RobotError, RobotWarning
from footfall.formats.urdf_file import read_urdf


def error_of(path) -> str:
    with pytest.raises(RobotError) as caught:
        read_urdf(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(path))
    return message


def test_a_link_is_read_with_its_inertia_in_link_axes(tmp_path):
    turned = INERTIAL.replace('xyz="0.1 0.2 0.3"', 'xyz="0.1 0.2 0.3" rpy="1.5707963267948966 0 0"')
    body = read_urdf(write(tmp_path, link("body", turned))).links["body"].inertial
    assert body is not None
    assert body.mass == 2.0
    assert body.com.tolist() == [0.1, 0.2, 0.3]
    # A quarter turn about x exchanges the moments about y and z.
    np.testing.assert_allclose(body.inertia, np.diag([0.02, 0.04, 0.03]), atol=1e-17)


def test_a_joint_is_read_with_origin_axis_limits_and_dynamics(tmp_path):
    inside = f"""<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><axis xyz="0 3 4"/>{LIMIT}
        <dynamics damping="0.5" friction="0.25"/><mimic joint="other"/>"""
    wrist = read_urdf(arm(tmp_path, inside=inside)).joints["wrist"]
    assert (wrist.type, wrist.parent, wrist.child) == ("revolute", "base", "hand")
    np.testing.assert_allclose(wrist.axis, [0.0, 0.6, 0.8], rtol=1e-15)
    np.testing.assert_allclose(wrist.origin.apply(np.array([1.0, 0, 0])), [1, 3, 3], rtol=1e-15)
    limits = wrist.limits
    assert (limits.lower, limits.upper, limits.velocity, limits.effort) == (-1, 2, 3, 4)
    assert (wrist.damping, wrist.friction, wrist.mimics) == (0.5, 0.25, "other")


@pytest.mark.parametrize("written", ["1e11", "inf", "+inf", "1e300"])
def test_limits_beyond_reason_mean_that_there_is_none(tmp_path, written):
    inside = f'<limit lower="-{written.lstrip("+")}" upper="{written}" velocity="3"/>'
    limits = read_urdf(arm(tmp_path, inside=inside)).joints["wrist"].limits
    assert (limits.lower, limits.upper, limits.effort) == (-np.inf, np.inf, np.inf)


def test_a_continuous_joint_has_no_position_limits(tmp_path):
    limits = read_urdf(arm(tmp_path, kind="continuous", inside=LIMIT)).joints["wrist"].limits
    assert (limits.lower, limits.upper, limits.velocity) == (-np.inf, np.inf, 3)


def test_joints_are_visited_depth_first_and_by_name(tmp_path):
    path = write(
        tmp_path,
        *(link(name) for name in ("root", "b", "a", "c", "d")),
        joint("j_b", "root", "b"),
        joint("j_z", "b", "c"),
        joint("j_a", "root", "a"),
        joint("j_c", "b", "d"),
    )
    urdf = read_urdf(path)
    assert urdf.root == "root"
    assert urdf.movable == ("j_a", "j_b", "j_c", "j_z")


def test_visuals_have_the_color_of_their_own_or_a_named_material(tmp_path):
    box = '<geometry><box size="1 2 3"/></geometry>'
    path = write(
        tmp_path,
        '<material name="red"><color rgba="1 0 0 1"/></material>',
        link(
            "body",
            INERTIAL
            + f'<visual>{box}<material name="red"/></visual>'
            + f'<visual>{box}<material name="x"><color rgba="0 1 0 0.5"/></material></visual>'
            + f"<visual>{box}</visual>",
        ),
    )
    visuals = read_urdf(path).links["body"].visuals
    assert [visual.color for visual in visuals] == [(1, 0, 0, 1), (0, 1, 0, 0.5), None]
    assert (visuals[0].shape.kind, visuals[0].shape.size) == ("box", (1, 2, 3))


def test_missing_file(tmp_path):
    assert "no such file" in error_of(tmp_path / "nothing.urdf")


def test_a_folder_is_not_a_file(tmp_path):
    assert "is not a file" in error_of(tmp_path)


def test_malformed_xml_names_the_line(tmp_path):
    path = tmp_path / "bad.urdf"
    path.write_text("<robot>\n  <link name='a'>\n</robot>")
    assert error_of(path) == f"{path}:3: malformed XML: mismatched tag"


def test_an_empty_file_and_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "bad.urdf"
    for data in (b"", b"\xff\xfe\x00garbage", b"<?xml version='1.0' encoding='klingon'?><robot/>"):
        path.write_bytes(data)
        assert "malformed XML" in error_of(path)


def test_other_xml_is_not_a_urdf(tmp_path):
    path = tmp_path / "scene.urdf"
    path.write_text("<mujoco/>")
    assert "begins with <mujoco>, not <robot>" in error_of(path)


@each(
    ("parts", "said"),
    [
        ((), "holds no link"),
        ((link("a"), link("b")), "several root links, one is allowed: a, b"),
        ((link("a"), link("a")), 'link "a" is defined twice'),
        (
            (link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")),
            "no root link: its joints form a loop",
        ),
        (
            (link("r"), link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")),
            'links form a loop that root "r" does not carry: a, b',
        ),
        (
            (link("a"), link("b"), link("c"), joint("j", "a", "c"), joint("k", "b", "c")),
            'link "c" is the child of two joints: "j" and "k"',
        ),
        (
            (link("a"), link("b"), joint("j", "a", "b"), joint("j", "a", "b")),
            '"j" is defined twice',
        ),
        (
            (link("palm"), joint("j", "pal", "palm")),
            'joint "j": no link "pal", did you mean \'palm\'?',
        ),
        (("<link/>",), "a <link> has no name"),
    ],
)
def test_links_and_joints_must_form_one_tree(tmp_path, parts, said):
    assert said in error_of(write(tmp_path, *parts))


@pytest.mark.parametrize("kind", ["floating", "planar", "spherical", "ball", "screw"])
def test_joint_types_of_several_dofs_are_refused(tmp_path, kind):
    message = error_of(arm(tmp_path, kind=kind, inside=""))
    assert f"joint \"wrist\": type '{kind}' is not supported" in message
    assert "allowed: revolute, continuous, prismatic, fixed" in message


@each(
    ("inertial", "said"),
    [
        (INERTIAL.replace('"2"', '"-2"'), "mass -2 kg must not be negative"),
        (INERTIAL.replace('"2"', '"nan"'), '<mass> value="nan" must be finite'),
        (INERTIAL.replace('"2"', '"inf"'), '<mass> value="inf" must be finite'),
        (INERTIAL.replace('"2"', '"1e300"'), '<mass> value="1e300" must not be beyond 1e+30'),
        (INERTIAL.replace('"2"', '"two"'), '<mass> value="two" must be a number'),
        (INERTIAL.replace('"2"', '"0"'), "has an inertia but no mass"),
        (INERTIAL.replace('"0.02"', '"nan"'), '<inertia> ixx="nan" must be finite'),
        (INERTIAL.replace('ixx="0.02"', ""), "<inertia> needs ixx="),
        (INERTIAL.replace("0.1 0.2 0.3", "0.1 nan 0.3"), 'xyz="0.1 nan 0.3" must be finite'),
        (INERTIAL.replace("0.1 0.2 0.3", "0.1 0.2"), 'xyz="0.1 0.2" must be 3 numbers'),
        (f"<inertial>{INERTIA}</inertial>", "<inertial> needs a <mass>"),
    ],
)
def test_mass_properties_must_be_finite_numbers(tmp_path, inertial, said):
    message = error_of(arm(tmp_path, child=inertial))
    assert 'link "hand": ' in message
    assert said in message


@each(
    ("inside", "said"),
    [
        ("", "a revolute joint needs a <limit>"),
        ('<limit lower="1" upper="-1"/>', "<limit> lower 1 is above upper -1"),
        ('<limit lower="nan" upper="1"/>', '<limit> lower="nan" must be finite'),
        ('<limit effort="-1"/>', "must not be negative"),
        (LIMIT + '<axis xyz="0 0 0"/>', "<axis> must not be zero"),
        (LIMIT + '<axis xyz="0 inf 0"/>', '<axis> xyz="0 inf 0" must be finite'),
        (LIMIT + '<origin rpy="0 0"/>', '<origin> rpy="0 0" must be 3 numbers'),
        (LIMIT + '<dynamics damping="-1"/>', '<dynamics> damping="-1" must not be negative'),
        (LIMIT + '<dynamics friction="nan"/>', '<dynamics> friction="nan" must be finite'),
    ],
)
def test_joint_values_must_make_sense(tmp_path, inside, said):
    message = error_of(arm(tmp_path, inside=inside))
    assert 'joint "wrist": ' in message
    assert said in message


@each(
    ("geometry", "said"),
    [
        ("", "needs a <geometry> with one shape"),
        ("<geometry/>", "needs a <geometry> with one shape"),
        ('<geometry><box size="1 1 -1"/></geometry>', "sizes of <box> must be positive"),
        ('<geometry><sphere radius="-1"/></geometry>', "sizes of <sphere> must be positive"),
        ('<geometry><cylinder radius="1"/></geometry>', "<cylinder> needs length="),
        ("<geometry><torus/></geometry>", "shape <torus> is not known (allowed: box, sphere"),
        ("<geometry><mesh/></geometry>", "<mesh> needs filename="),
    ],
)
@each("tag", ["visual", "collision"])
def test_shapes_must_make_sense(tmp_path, tag, geometry, said):
    message = error_of(write(tmp_path, link("body", f"{INERTIAL}<{tag}>{geometry}</{tag}>")))
    assert 'link "body": ' in message
    assert said in message


FORGIVEN = {
    "& for &amp;": ('<robot name="a & b"><link name="x"/></robot>', "a & b"),
    "-- within a comment": (
        '<robot name="r"><!-- a -- b\n & <z:c> ---><link name="x"/></robot>',
        "r",
    ),
    "<?xml ...?> is not first": (
        '\n<!-- a --><?xml version="1.0"?><robot name="r"><link name="x"/></robot>',
        "r",
    ),
    "undeclared prefix gz, undeclared prefix xacro": (
        '<robot name="q t:u"><gz:a/><link name="x" xacro:b="1 c:d"/></robot>',
        "q t:u",
    ),
    "taken as Latin-1": (b'<robot name="r\xe9"><link name="x"/></robot>', "r\xe9"),
}


@pytest.mark.parametrize("wrong", FORGIVEN)
def test_what_lenient_readers_forgive_is_read_with_a_warning(tmp_path, wrong):
    text, name = FORGIVEN[wrong]
    path = tmp_path / "it.urdf"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.warns(RobotWarning, match=re.escape(wrong)):
        urdf = read_urdf(path)
    assert (urdf.name, list(urdf.links)) == (name, ["x"])


def test_an_inertia_without_products_is_told(tmp_path):
    short = INERTIAL.replace('ixy="0"', "").replace('iyz="0"', "")
    with pytest.warns(RobotWarning, match='link "body": <inertia> without ixy, iyz: taken as 0'):
        read_urdf(write(tmp_path, link("body", short)))


@pytest.mark.parametrize("piece", ["<!--", "<a ", "x:y ", "&", "'", '<a b="'])
def test_damaged_files_are_refused_at_once(tmp_path, piece):
    """Their time grows with their length, not with its square (minutes for this one)."""
    path = tmp_path / "it.urdf"
    path.write_text("<a " + piece * 200_000)
    start = time.process_time()
    assert "malformed XML" in error_of(path)
    assert time.process_time() - start < 5.0
