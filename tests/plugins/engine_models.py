"""Models, states and oracles for the tests of dynamics engines."""

import numpy as np
import pytest

from footfall.formats.normal_form import canonical_joints, normal_form
from footfall.formats.urdf_file import read_urdf
from footfall.interfaces.engine import ModelSource
from footfall.registry.discover import discover

ENGINES = ("pinocchio", "idyntree", "featherstone", "mujoco")
BASES = ("floating", "fixed")
TILTED = np.array([1.5, -3.0, -8.0])
"""A gravity vector along no axis, [m/s^2]."""

ICUB_JOINTS = [
    "torso_.*",
    *(
        f"{side}_{joint}"
        for side in "lr"
        for joint in (
            *("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow", "hip_pitch", "hip_roll"),
            *("hip_yaw", "knee", "ankle_pitch", "ankle_roll"),
        )
    ),
]


def engine(name):
    """Return an engine of that name; skip if its extra is not installed."""
    entry = discover().engine[name]
    if entry.missing:
        pytest.skip(entry.install_hint)
    return entry.load()()


def inertial(seed):
    """An <inertial> with skew axes, of 8 random point masses: so a body can have it."""
    rng = np.random.default_rng(seed)
    points, masses = rng.uniform(-0.3, 0.3, (8, 3)), rng.uniform(0.1, 0.6, 8)
    com = masses @ points / masses.sum()
    about = sum(
        m * ((d @ d) * np.eye(3) - np.outer(d, d))
        for m, d in zip(masses, points - com, strict=True)
    )
    xyz = " ".join(repr(float(x)) for x in com)
    entries = {a + b: about["xyz".index(a), "xyz".index(b)] for a, b in ("xx", "xy", "xz")}
    entries |= {a + b: about["xyz".index(a), "xyz".index(b)] for a, b in ("yy", "yz", "zz")}
    written = " ".join(f'i{key}="{float(value)!r}"' for key, value in entries.items())
    return (
        f'<inertial><origin xyz="{xyz}" rpy="0.3 -0.2 0.5"/><mass value="{float(masses.sum())!r}"/>'
        f"<inertia {written}/></inertial>"
    )


def link(name, seed=None):
    return f'<link name="{name}">{"" if seed is None else inertial(seed)}</link>'


def joint(
    name, kind, parent, child, xyz="0.1 -0.2 0.3", rpy="0.4 0.5 -0.6", axis="1 2 -2", rest=""
):
    moved = "" if kind == "fixed" else f'<axis xyz="{axis}"/>'
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}" rpy="{rpy}"/>'
        f'<parent link="{parent}"/><child link="{child}"/>{moved}{rest}</joint>'
    )


def limits(lower, upper, velocity, effort, damping, friction):
    return (
        f'<limit lower="{lower!r}" upper="{upper!r}" velocity="{velocity!r}" effort="{effort!r}"/>'
        f'<dynamics damping="{damping!r}" friction="{friction!r}"/>'
    )


BRANCHED = "".join(
    (
        '<robot name="branched">',
        # A massless root in front of the pelvis, and an inertia welded behind it.
        *(link("footprint"), link("pelvis", 1), link("plate", 2), link("plate_tip")),
        *(link("upper", 3), link("lower", 4), link("slider", 5), link("wing", 6), link("cap", 7)),
        joint("to_pelvis", "fixed", "footprint", "pelvis"),
        joint("m_plate", "fixed", "pelvis", "plate", xyz="0.3 0.1 0", rpy="0.1 0 0.7"),
        joint("m_tip", "fixed", "plate", "plate_tip", xyz="0 0.1 0.4"),
        joint("z_arm", "revolute", "pelvis", "upper", rest=limits(-1.0, 2.0, 3.0, 40.0, 0.1, 0.2)),
        joint("y_elbow", "revolute", "upper", "lower", rest=limits(-0.5, 0.5, 1e300, 1e300, 0, 0)),
        joint(
            "a_rail", "prismatic", "pelvis", "slider", rest=limits(-0.1, 0.4, 5.0, 60.0, 7.0, 8.0)
        ),
        joint("wing", "revolute", "plate", "wing", rest=limits(-1e300, 1e300, 9.0, 10.0, 0, 0)),
        joint("weld_cap", "fixed", "wing", "cap", xyz="0 0 0.5", rpy="1 2 3"),
        "</robot>",
    )
)
BRANCHED_JOINTS = ("a_rail", "wing", "z_arm", "y_elbow")
"""Depth first, children by joint name: m_plate (and wing behind it) comes before z_arm."""


def source(base, xml=BRANCHED, joints=BRANCHED_JOINTS, gravity=TILTED):
    return ModelSource("robot", "urdf", "robot.urdf", xml, base, gravity, joints)


def icub_source(base):
    """The real iCub with the joints that walking uses; skip if its models are not installed."""
    models = pytest.importorskip("icub_models")
    urdf = read_urdf(models.get_model_file("iCubGazeboV2_5"))
    kept = tuple(name for name in urdf.movable if name in ICUB_JOINTS or name.startswith("torso"))
    xml = normal_form(urdf, base, kept, {})
    return source(base, xml, canonical_joints(urdf, base, kept))


def random_state(model, seed):
    """A configuration with a unit quaternion and a velocity, all of order one."""
    rng = np.random.default_rng(seed)
    q, v = rng.normal(size=model.nq), rng.normal(size=model.nv)
    if model.base == "floating":
        q[3:7] /= np.linalg.norm(q[3:7])
    return q, v


def rotation(quaternion):
    """Matrix of a quaternion x y z w, by ``R a = a + 2 w u x a + 2 u x (u x a)``."""
    u, w = quaternion[:3], quaternion[3]
    ux = skew(u)
    return np.eye(3) + 2.0 * w * ux + 2.0 * ux @ ux


def skew(a):
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def displaced(model, q, v, t):
    """The configuration after moving for t with constant velocity v (body twist on SE(3))."""
    if model.base == "fixed":
        return q + t * v
    turn, angle = v[3:6] * t, np.linalg.norm(v[3:6] * t)
    W = skew(turn)
    # V of the exponential on SE(3); series where the closed form would cancel.
    one, two = (
        ((1.0 - np.cos(angle)) / angle**2, (angle - np.sin(angle)) / angle**3)
        if angle > 1e-2
        else (0.5 - angle**2 / 24.0, 1.0 / 6.0 - angle**2 / 120.0)
    )
    V = np.eye(3) + one * W + two * W @ W
    out = np.concatenate([q[:7], q[7:] + t * v[6:]])
    out[:3] = q[:3] + rotation(q[3:7]) @ V @ v[:3] * t
    half = np.sinc(angle / (2.0 * np.pi)) / 2.0
    out[3:7] = product(q[3:7], np.append(half * turn, np.cos(angle / 2.0)))
    return out


def product(a, b):
    """Quaternion product, x y z w."""
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])


def link_pose(tree, i):
    """World rotation (3, 3) and origin (3,) of a link."""
    return tree.pose[i, :9].reshape(3, 3).T, tree.pose[i, 9:]


def link_jacobian(tree, i, point):
    """Linear and angular Jacobians, (3, nv) each, of a world point carried by link i; from S."""
    linear, angular = np.zeros((2, 3, tree.model.nv))
    dof = tree.model.link_dof[i]
    while dof >= 0:
        angular[:, dof] = tree.S[dof, 3:]
        linear[:, dof] = tree.S[dof, :3] + np.cross(tree.S[dof, 3:], point)
        dof = tree.model.dof_parent[dof]
    return linear, angular


def com_jacobians(tree, i):
    """Centre of mass (world), its Jacobians, and the world inertia about it, of link i."""
    R, p = link_pose(tree, i)
    com = p + R @ tree.model.link_com[i]
    return com, *link_jacobian(tree, i, com), R @ tree.model.link_inertia[i] @ R.T
