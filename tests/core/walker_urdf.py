"""A small walker with two legs of hip, knee and ankle, written with the feet that a test wants."""

BOX = '<geometry><box size="0.2 0.1 0.04"/></geometry>'


def inertial(mass, size=0.1):
    moment = mass * size**2
    return (
        f'<inertial><mass value="{mass}"/><inertia ixx="{moment}" iyy="{moment}" izz="{moment}" '
        'ixy="0" ixz="0" iyz="0"/></inertial>'
    )


def revolute(name, parent, child, xyz, lower=-1.5, upper=1.5, effort=200, extra=""):
    return (
        f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="0 1 0"/>'
        f'<limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="10"/>{extra}</joint>'
    )


def leg(side, y, foot, **knee):
    return "".join(
        [
            f'<link name="{side}_thigh">{inertial(2)}</link>',
            f'<link name="{side}_shank">{inertial(2)}</link>',
            f'<link name="{side}_foot">{inertial(1)}'
            f'<collision><origin xyz="0.03 0 -0.03"/>{foot}</collision></link>',
            revolute(f"{side}_hip", "trunk", f"{side}_thigh", f"0 {y} 0"),
            revolute(f"{side}_knee", f"{side}_thigh", f"{side}_shank", "0 0 -0.4", **knee),
            revolute(f"{side}_ankle", f"{side}_shank", f"{side}_foot", "0 0 -0.4"),
        ]
    )


def walker(foot=BOX, extra="", **knee):
    """Return the text of the walker; its ankles are 0.8 m below the root."""
    trunk = f'<link name="trunk">{inertial(20, 0.2)}<collision>{BOX}</collision></link>'
    legs = leg("l", 0.1, foot, **knee) + leg("r", -0.1, foot, **knee)
    return f'<robot name="walker">{trunk}{legs}{extra}</robot>'
