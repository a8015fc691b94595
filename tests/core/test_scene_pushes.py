"""The table of pushes: what is wrong with it is said with file, line and key."""

import pytest
from tests.cases import each

import footfall
from footfall import assemble
from footfall.errors import FootfallError
from footfall.registry.discover import discover
from footfall.scene.load import load_scene
from footfall.scene.resolved import stored_scene

SCENE = """
[simulation]
duration = 0.1
[bodies.arm]
robot = "rrbot"
[[pushes]]
link = "link2"
force = [1.0, 0.0, 0.0]
[[pushes]]
{push}
"""


def scene(folder, push, more=""):
    (folder / "scene.toml").write_text(SCENE.format(push=push) + more)
    return load_scene(folder / "scene.toml")


@each(
    ("push", "expected"),
    [
        ('link = "link22"\nforce = [1, 0, 0]', ["pushes[1].link", "did you mean 'link2'"]),
        ('joint = "elbow"\neffort = 1.0', ["pushes[1].joint", "no joint 'elbow'"]),
        ('body = "arms"\nlink = "link2"\nforce = [1, 0, 0]', ["pushes[1].body", "'arm'"]),
        (
            'link = "elbow"\nforce = [1, 0, 0]',
            ["pushes[1].link", "no link 'elbow' (links: ", "link2"],
        ),
        ('link = "link2"', ["pushes[1]", "force or moment, file, function"]),
        ("force = [1, 0, 0]", ["pushes[1]", "needs link or joint"]),
        ('link = "link2"\njoint = "j"\neffort = 1', ["pushes[1]", "only one"]),
        ('link = "link2"\neffort = 1.0', ["pushes[1]", "give force or moment"]),
        ('joint = "joint1"\nforce = [1, 0, 0]', ["pushes[1]", "give effort"]),
        ('link = "link2"\nforce = [1, 0]', ["pushes[1].force", "3 elements"]),
        ('link = "link2"\nforce = [1, 0, 0]\nduration = 0', ["pushes[1].duration", "must be > 0"]),
        ('link = "link2"\nfile = "back.csv"', ["pushes[1].file", "line 4: time must increase"]),
        ('link = "link2"\nfile = "bak.csv"', ["pushes[1].file", "did you mean 'back.csv'"]),
        ('joint = "joint1"\nfile = "back.csv"', ["pushes[1].file", "no column", "effort"]),
        ('link = "link2"\nfunction = "none:at_all"', ["pushes[1].function", "none"]),
        ('link = "link2"\nforse = [1, 0, 0]', ["pushes[1].forse", "'force'"]),
    ],
)
def test_a_push_that_is_none_is_refused(tmp_path, push, expected):
    (tmp_path / "back.csv").write_text("time,fx\n0,0\n1,1\n0.5,2\n")
    with pytest.raises(FootfallError) as caught:
        assemble(scene(tmp_path, push))
    message = str(caught.value)
    assert "\n" not in message
    assert "scene.toml:" in message
    for part in expected:
        assert part in message


def test_a_function_that_fails_is_named_with_the_time(tmp_path):
    sim = assemble(scene(tmp_path, 'link = "link2"\nfunction = "math:gcd"'))
    with pytest.raises(FootfallError, match=r"push math:gcd failed at 0\.\d+ s: TypeError"):
        sim.step()


def test_with_several_bodies_a_push_says_which(tmp_path):
    more = '[bodies.other]\nrobot = "cube"\n'
    with pytest.raises(FootfallError, match=r"pushes\[0\].body: is missing: .*arm, other"):
        assemble(scene(tmp_path, 'body = "arm"\nlink = "link2"\nforce = [1, 0, 0]', more))


def test_pushes_are_in_the_resolved_scene_and_come_back(tmp_path):
    sim = footfall.load("humanoid/pushed")
    again = assemble(stored_scene(sim.provenance.resolved, discover()))
    assert (
        again.provenance.resolved["scene"]["pushes"] == sim.provenance.resolved["scene"]["pushes"]
    )
    assert again.pushes.names == ("humanoid/chest",)
    assert "pushes" not in footfall.load("humanoid/standing").provenance.resolved["scene"]
