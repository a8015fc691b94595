"""The page that simulates, as one file."""

from __future__ import annotations

import json
from collections.abc import Sequence

from footfall_meshcat.drawing.payload import View, scene_payload
from footfall_meshcat.live_page import live_scripts
from footfall_meshcat.page import library_script, page, static_text, viewer_style
from footfall_meshcat.playground.variant import Variant
from footfall_meshcat.recorded.html import embedded, notice
from footfall_stepper.api import wasm_module

BASE = 4 << 20
"""First address of the memories, [byte]: below it lies what the module itself needs."""
START = "window.footfall = new Footfall.Playground();"
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src data: blob:"
)
"""The page makes no request, and runs no code but its own."""


def playground_page(variants: Sequence[Variant]) -> str:
    """Return the text of a page that simulates a scene under several laws.

    Raises:
        PluginError: if LLVM's linker for WebAssembly is missing.
    """
    head = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    style = f"{head}\n<style>\n{viewer_style()}</style>"
    library = embedded("library", library_script())
    scripts = [library, contents(variants), f"<script>\n{playground_script()}\n</script>"]
    return composed(variants[0].drawing.graph().title, style, "\n".join(scripts))


def contents(variants: Sequence[Variant]) -> str:
    """Return the tags that hold the scene, the step and the memories of its variants."""
    found = {k.name: k for variant in variants for k in variant.memory.kernels.values()}
    number = {name: k for k, name in enumerate(found)}
    base, headers, images = BASE, [], bytearray()
    for variant in variants:
        moved = variant.memory.moved(base, [*found])
        headers.append({**variant.header(moved, number), "offset": len(images)})
        images += moved.image
        base += len(moved.image)
    parts = {
        "scene": scene_payload(variants[0].drawing.graph(), View()),
        "playground": json.dumps({"variants": headers, "end": base}, allow_nan=False).encode(),
        "wasm": wasm_module([*found.values()]),
        "memory": bytes(images),
    }
    return "\n".join(embedded(*part) for part in parts.items()) + "\n"


def playground_script() -> str:
    """Return the scripts of the page, joined into one."""
    return f"{live_scripts('machine.js', 'playground.js')}\n{START}\n"


def composed(title: str, style: str, scripts: str) -> str:
    """Return the page with its style and scripts."""
    bar = static_text("live_bar.html") + static_text("playground_bar.html")
    return page(title, style, f"{notice()}\n{scripts}", static_text("live.html"), bar)
