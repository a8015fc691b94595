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
    found = {k.name: k for variant in variants for k in variant.memory.kernels.values()}
    kernels, base, headers, images = [*found], BASE, [], bytearray()
    for variant in variants:
        moved = variant.memory.moved(base, kernels)
        number = {name: k for k, name in enumerate(kernels)}
        headers.append({**variant.header(moved, number), "offset": len(images)})
        images += moved.image
        base += len(moved.image)
    header = json.dumps({"variants": headers, "end": base}, allow_nan=False).encode()
    graph = variants[0].drawing.graph()
    scripts = [
        notice(),
        embedded("library", library_script()),
        embedded("scene", scene_payload(graph, View())),
        embedded("playground", header),
        embedded("wasm", wasm_module([*found.values()])),
        embedded("memory", bytes(images)),
        f"<script>\n{live_scripts('machine.js', 'playground.js')}\n{START}\n</script>",
    ]
    head = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    style = f"{head}\n<style>\n{viewer_style()}</style>"
    bar = static_text("live_bar.html") + static_text("playground_bar.html")
    return page(graph.title, style, "\n".join(scripts), static_text("live.html"), bar)
