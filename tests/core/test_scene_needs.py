import pytest
from tests.core.scene_plugins import MINIMAL, make_registry

from footfall.errors import SceneError
from footfall.interfaces.plugin import Capability
from footfall.problem.arrays import BlockKind
from footfall.scene.load import load_scene, scene_from_dict
from footfall.scene.needs import Need, base_need, check_needs, contact_needs, restitution_need


@pytest.fixture(scope="module")
def registry():
    return make_registry()


@pytest.fixture
def check(registry):
    def check(needs=lambda scene: [], **tables):
        scene = scene_from_dict({**MINIMAL, **tables}, registry)
        check_needs(scene, needs(scene), registry)

    return check


@pytest.fixture
def refusal(check):
    def refusal(*args, **tables):
        with pytest.raises(SceneError) as caught:
            check(*args, **tables)
        return str(caught.value)

    return refusal


def boxes(**fields):
    return {"box": {"robot": "box", **fields}}


def test_a_scene_that_needs_nothing_special_passes(check):
    check()


def test_the_engine_must_do_the_base(check, refusal):
    assert refusal(bodies=boxes(base="planar")) == (
        'engine.plugin: engine "featherstone" cannot do planar base, needed because the base of '
        "box is planar (engine plugins that can: other)"
    )
    check(bodies=boxes(base="planar"), engine={"plugin": "other"})
    check(bodies=boxes(base="fixed"))
    assert "planar" in refusal(lambda scene: [base_need("box", "planar")])


def test_a_law_that_absorbs_impacts_must_do_restitution_itself(check, refusal):
    check(bodies=boxes(restitution=0.5))
    told = refusal(lambda scene: [Need(Capability.RESTITUTION, "contact", "x")], contact=GAUSS)
    assert told.startswith('contact.plugin: contact "gauss" cannot do restitution')


GAUSS = {"plugin": "gauss"}


def test_an_impact_model_that_acts_must_do_restitution(check, refusal):
    assert refusal(bodies=boxes(restitution=0.5), contact=GAUSS) == (
        'impact.plugin: impact "inelastic" cannot do restitution, needed because '
        "bodies.box.restitution is 0.5 (contact plugins that can: coulomb; "
        "impact plugins that can: bouncing)"
    )
    check(bodies=boxes(restitution=0.5), contact=GAUSS, impact={"plugin": "bouncing"})
    # The impact comes first and would take the bounce away from a law that could do it.
    assert "inelastic" in refusal(bodies=boxes(restitution=0.5), impact={"plugin": "inelastic"})


def test_restitution_of_a_pair_or_a_robot_counts_and_zero_does_not(check, refusal, registry):
    pairs = {"box/terrain": {"restitution": 0.3}}
    assert 'pairs."box/terrain".restitution is 0.3' in refusal(pairs=pairs, contact=GAUSS)
    check(bodies=boxes(restitution=0.0), contact=GAUSS)
    told = refusal(
        lambda scene: [restitution_need(scene, registry, "robot box says so")], contact=GAUSS
    )
    assert "needed because robot box says so" in told


def test_friction_must_be_honoured(refusal, registry, check):
    frictionless = Need(Capability.CLOSED_CHAINS, "contact", "there is a loop")
    told = refusal(lambda scene: [frictionless])
    assert told.endswith("needed because there is a loop (no installed contact plugin can)")
    check(bodies=boxes(friction=0.5))


def test_several_bodies_need_law_and_impact_model_to_say_so(check, refusal):
    bodies = {"a": {"robot": "box"}, "b": {"robot": "box"}}
    check(bodies=bodies)
    told = refusal(bodies=bodies, contact=GAUSS)
    assert told.startswith(
        'contact.plugin: contact "gauss" cannot do several bodies, needed because there are 2'
    )


def test_tilted_terrain_is_needed_of_all_that_resolve_contacts(registry):
    def roles(**tables):
        scene = scene_from_dict({**MINIMAL, **tables}, registry)
        tilted = contact_needs(scene, registry, Capability.TILTED_TERRAIN, "the ground is tilted")
        return [need.role for need in tilted]

    assert roles() == ["contact"]
    assert roles(contact=GAUSS) == ["contact", "impact"]


def test_blocks_that_the_law_does_not_take_are_refused(check, refusal):
    limits = Need(BlockKind.UNILATERAL, "contact", "box has joint limits")
    check(lambda scene: [limits])
    assert refusal(lambda scene: [limits], contact=GAUSS) == (
        'contact.plugin: contact "gauss" cannot do unilateral blocks, needed because box has joint '
        "limits (contact plugins that can: coulomb)"
    )


def test_an_unmet_need_points_to_the_line_that_chose_the_plugin(registry, tmp_path):
    path = tmp_path / "scene.toml"
    path.write_text(
        '[simulation]\nduration = 1\n[bodies.box]\nrobot = "box"\nbase = "planar"\n'
        '[engine]\nplugin = "featherstone"\n'
    )
    with pytest.raises(SceneError, match=r"scene\.toml:7: engine\.plugin: "):
        check_needs(load_scene(path, {}, registry), [], registry)


def test_an_order_of_impacts_without_effect_is_refused(registry):
    tables = {**MINIMAL, "simulation": {"duration": 1.0, "impact_order": "after_contact"}}
    with pytest.raises(SceneError, match=r'^simulation\.impact_order: has no effect: impact "none'):
        scene_from_dict(tables, registry)
    scene_from_dict({**tables, "contact": GAUSS}, registry)


def test_an_impact_model_beside_a_law_that_absorbs_impacts_is_noted(registry):
    scene = scene_from_dict({**MINIMAL, "impact": {"plugin": "inelastic"}}, registry)
    assert scene.notes == (
        'impact "inelastic" acts as well as contact "coulomb", which absorbs impacts by itself',
    )
    assert scene_from_dict({**MINIMAL, "contact": GAUSS}, registry).notes == ()
