"""The compiler of kernels: it translates their Python source and lets LLVM optimise it."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Offer the compiler, for listings: core finds it by ``FOOTFALL_COMPILER``."""
    registry.compiler.add(
        "llvm",
        "footfall_llvm.compiler:translated",
        summary="kernels through LLVM, by llvmlite (default)",
        requires=("llvmlite",),
    )
