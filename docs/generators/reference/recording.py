"""The page of the recorded variables."""

from footfall.recording.variables import Labels, standard_layout

LABELS = Labels(
    position=("q0",),
    velocity=("v0",),
    joint=(),
    contact=("c0",),
    body=("b0",),
    foot=("f0",),
    loop=("l0",),
    joint_row=("j0",),
)


def recording_page():
    """Return a table of the variables of a standard run: name, dimensions, unit, meaning."""
    lines = ["| variable | dimensions after time | unit | meaning |\n|---|---|---|---|\n"]
    for variable in standard_layout(LABELS).variables:
        dims = ", ".join(dim for dim in variable.dims if dim != "time")
        meaning = variable.long_name.replace("|", r"\|")
        words = variable.attributes.get("flag_meanings", "").split()
        if words:
            meaning += ": " + ", ".join(
                f"{value} {word}"
                for value, word in zip(variable.attributes["flag_values"], words, strict=True)
            )
        lines.append(f"| `{variable.name}` | {dims} | {variable.units} | {meaning} |\n")
    return "".join(lines)
