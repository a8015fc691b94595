"""Fates of every element and attribute of an MJCF."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from footfall_import.checks import Finding
from footfall_import.coverage import Coverage, Fate

PLACE = "pos quat axisangle xyaxes zaxis euler"
SOFT = "solref solimp margin gap solmix priority adhesion"
STOPS = "solreflimit solimplimit solreffriction solimpfriction margin"
ROOM = "worldbody"
"""Section whose elements are keyed by their tag alone; other sections use ``section/tag``."""

SECTIONS: dict[str, Fate] = {
    **dict.fromkeys(("sensor", "deformable", "extension"), "told"),
    **dict.fromkeys(("visual", "statistic", "size", "custom"), "ignored"),
    "default": "honoured",
}
"""Sections with one fate for all content. Defaults are first written into their elements."""

ELEMENTS: dict[str, dict[Fate, str]] = {
    "compiler": {
        "honoured": "angle assetdir autolimits coordinate eulerseq inertiafromgeom meshdir "
        "settotalmass boundmass boundinertia texturedir balanceinertia inertiagrouprange",
        "told": "alignfree",
        "ignored": "conflict discardvisual fitaabb fusestatic passthrough savecanonical "
        "savecompiled saveinertial strippath usethread",
    },
    "compiler/lengthrange": {
        "told": "accel interval inttotal maxforce mode timeconst timestep tolrange useexisting "
        "uselimit"
    },
    "option": {
        "honoured": "gravity",
        "told": "density viscosity wind magnetic o_friction o_margin o_solimp o_solref "
        "actuatorgroupdisable",
        "scene": "timestep integrator cone impratio iterations jacobian ls_iterations "
        "ls_tolerance noslip_iterations noslip_tolerance solver tolerance ccd_iterations "
        "ccd_tolerance sdf_initpoints sdf_iterations sleep_tolerance",
    },
    "option/flag": {
        "honoured": "gravity",
        "told": "actuation clampctrl constraint contact damper equality filterparent frictionloss "
        "limit override spring",
        "scene": "autoreset diagexact energy eulerdamp fwdinv invdiscrete ipc island midphase "
        "multiccd nativeccd refsafe sensor sleep speculative warmstart",
    },
    "asset/mesh": {
        "honoured": "name class file scale refpos refquat vertex face builtin params inertia",
        "ignored": "content_type material maxhullvert normal smoothnormal texcoord",
    },
    "asset/material": {
        "honoured": "name class rgba texture",
        "ignored": "emission metallic reflectance roughness shininess specular texrepeat "
        "texuniform",
    },
    "asset/texture": {
        "honoured": "name class type file builtin rgb1 rgb2",
        "ignored": "*",
    },
    "asset/hfield": {
        "honoured": "name file nrow ncol size elevation",
        "ignored": "content_type",
    },
    "asset/skin": {"told": "*"},
    "asset/model": {"honoured": "name file", "ignored": "content_type"},
    "body": {
        "honoured": f"name childclass {PLACE}",
        "told": "gravcomp mocap",
        "scene": "sleep",
        "ignored": "user fuse simple",
    },
    "frame": {"honoured": f"name childclass {PLACE}"},
    "inertial": {"honoured": f"mass diaginertia fullinertia {PLACE}"},
    "joint": {
        "honoured": "name class type pos axis range limited ref damping frictionloss armature "
        "actuatorfrcrange actuatorfrclimited stiffness springref",
        "told": f"springdamper springyield actuatorgravcomp {STOPS}",
        "ignored": "group user",
    },
    "freejoint": {"honoured": "name class", "told": "align", "ignored": "group"},
    "geom": {
        "honoured": "name class type size fromto mesh hfield mass density rgba material group "
        f"contype conaffinity {PLACE}",
        "told": f"friction condim fitscale fluidshape fluidcoef surfacevel {SOFT}",
        "refused": "shellinertia",
        "ignored": "user castshadow",
    },
    "site": {
        "honoured": f"name class {PLACE}",
        "ignored": "type size fromto mesh rgba material group user",
    },
    **{tag: {"ignored": "*"} for tag in ("camera", "light")},
    "plugin": {"told": "*"},
    **{tag: {"refused": "*"} for tag in ("composite", "flexcomp")},
    "replicate": {"honoured": "count offset euler sep"},
    "attach": {"honoured": "model body prefix", "refused": "frame"},
    "tendon/fixed": {
        "honoured": "name class stiffness springlength damping frictionloss armature range limited",
        "told": f"actuatorfrclimited actuatorfrcrange springyield {STOPS}",
        "ignored": "group user width rgba material",
    },
    "tendon/spatial": {"told": "*"},
    "contact/pair": {
        "honoured": "name class geom1 geom2",
        "told": "condim friction gap margin solimp solref solreffriction adhesion",
    },
    "contact/exclude": {"honoured": "name body1 body2"},
    "equality/connect": {
        "honoured": "name class active body1 body2 anchor site1 site2",
        "told": "solref solimp",
    },
    "equality/weld": {
        "honoured": "name class active body1 body2 anchor relpose site1 site2",
        "told": "solref solimp torquescale",
    },
    "equality/joint": {
        "honoured": "name class active joint1 joint2 polycoef",
        "told": "solref solimp",
    },
    **{f"equality/{kind}": {"told": "*"} for kind in ("tendon", "flex", "flexstrain")},
    "actuator": {
        "honoured": "name class joint jointinparent tendon gear forcerange forcelimited ctrlrange "
        "ctrllimited kp kv dampratio gaintype biastype gainprm biasprm",
        "told": "*",
        "ignored": "group user",
    },
    "keyframe/key": {"honoured": "name qpos ctrl", "scene": "time qvel act mpos mquat plastic"},
}
"""Attributes by element and fate."""
SAID_ELSEWHERE = frozenset(
    {
        *(("joint", "stiffness"), ("body", "gravcomp"), ("plugin", "plugin")),
        *(("equality/connect", "solref"), ("equality/connect", "solimp")),
        *(("equality/weld", "solref"), ("equality/weld", "solimp")),
        *(("equality/joint", "solref"), ("equality/joint", "solimp")),
        ("tendon/spatial", "*"),
        *((f"equality/{kind}", "*") for kind in ("tendon", "flex", "flexstrain")),
    }
)
"""Attributes that the import reports by name when it reads them."""
MJCF = Coverage(ELEMENTS, SECTIONS, SAID_ELSEWHERE)


def losses(top: Element) -> list[Finding]:
    """Return findings of attributes of the fates ``told`` or ``scene``.

    The document's default classes must be written out.
    """
    return [*free_joint_losses(top), *MJCF.losses(elements_of(top))]


def elements_of(top: Element) -> Iterator[tuple[str, Element]]:
    """Yield the elements whose attributes describe the model, with their keys."""
    for section in top:
        if section.tag in SECTIONS:
            continue
        if section.tag in ("compiler", "option"):
            yield section.tag, section
            yield from ((f"{section.tag}/{child.tag}", child) for child in section)
        elif section.tag == ROOM:
            for node in section.iter():
                # Friction of fixed objects is honoured, that of the ground is the scene's.
                if node in section.findall("geom") and node.get("type") != "plane":
                    rest = {key: value for key, value in node.attrib.items() if key != "friction"}
                    yield node.tag, Element(node.tag, rest)
                elif node is not section:
                    yield node.tag, node
        elif section.tag == "actuator":
            yield from (("actuator", child) for child in section)
        else:
            yield from ((f"{section.tag}/{child.tag}", child) for child in section)


def free_joint_losses(top: Element) -> list[Finding]:
    """Return a warning if free joints have dynamics, which a floating base does not have here."""
    told: Counter[str] = Counter()
    for node in (node for section in top.findall(ROOM) for node in section.iter("joint")):
        if node.get("type") == "free":
            for key in ("damping", "armature", "frictionloss", "stiffness"):
                if node.get(key, "0").strip("0. "):
                    told[key] += 1
    said = ", ".join(sorted(told))
    return [Finding("warning", "free joint", f"{said}: not honoured", lost=True)] if told else []
