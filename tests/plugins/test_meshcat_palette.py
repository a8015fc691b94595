"""Bodies that would look the same are told apart by their colours."""

from dataclasses import replace

from tests.scene_graphs import primitives

from footfall.interfaces.visualizer import GREY
from footfall_meshcat.drawing import palette
from footfall_meshcat.drawing.palette import CALM, told_apart


def bodies(colors):
    """Boxes, each a body of its own."""
    box = primitives().nodes[0]
    return [
        replace(box, name=f"body{k}/base/0", link=k, color=color) for k, color in enumerate(colors)
    ]


def test_bodies_without_a_colour_get_different_ones():
    assert palette.GREY == GREY
    shown = [node.color for node in told_apart(bodies([GREY] * 5))]
    assert [color[:3] for color in shown] == list(CALM[:5])


def test_bodies_of_one_colour_get_shades_of_it():
    blue = (0.2, 0.4, 0.8, 1.0)
    shown = [node.color for node in told_apart(bodies([blue] * 3))]
    assert shown[0] == blue
    assert len(set(shown)) == 3
    for red, green, _, opacity in shown:
        assert abs(green / red - 2.0) < 1e-12
        assert opacity == 1.0


def test_what_stands_alone_and_what_has_several_parts_stays_as_it_is():
    different = bodies([GREY, (0.2, 0.4, 0.8, 1.0)])
    assert told_apart(different) == different
    robot = [replace(node, name=f"robot/link{node.link}/0") for node in bodies([GREY] * 3)]
    assert told_apart(robot) == robot


def test_a_robot_that_is_transparent_altogether_is_drawn():
    """Booster's T1 without its meshes; a wall that is transparent stays so."""
    clear = (0.4, 0.4, 0.4, 0.0)
    robot = [replace(node, name=f"robot/link{node.link}/0") for node in bodies([clear] * 3)]
    assert [node.color[3] for node in told_apart(robot)] == [1.0] * 3
    robot[1] = replace(robot[1], color=GREY)
    assert told_apart(robot) == robot
    wall = bodies([clear])
    assert told_apart(wall) == wall
