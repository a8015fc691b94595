"""Pieces of small URDFs for tests."""

from __future__ import annotations

from pathlib import Path

INERTIA = '<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/>'
INERTIAL = f'<inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>{INERTIA}</inertial>'
LIMIT = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'


def link(name: str, inside: str = INERTIAL) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(
    name: str, parent: str, child: str, kind: str = "revolute", inside: str | None = None
) -> str:
    if inside is None:
        inside = '<axis xyz="0 1 0"/>' + (LIMIT if kind in ("revolute", "prismatic") else "")
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def write(folder: Path, *parts: str, name: str = "sample.urdf") -> Path:
    path = folder / name
    path.write_text(f'<robot name="sample">{"".join(parts)}</robot>')
    return path


def arm(folder: Path, child: str = INERTIAL, kind: str = "revolute", inside: str | None = None):
    """A base and one link on a joint."""
    return write(
        folder, link("base"), link("hand", child), joint("wrist", "base", "hand", kind, inside)
    )
