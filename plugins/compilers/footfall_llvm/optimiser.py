"""LLVM's part of compiling: code is optimised and becomes an object; alone, or as a worker process.

It imports nothing of Footfall, so that a worker starts quickly.
"""

from __future__ import annotations

import os
import signal
import sys
from functools import cache
from typing import Any, BinaryIO

from llvmlite import binding

SPEED_LEVEL = 2
"""LLVM's optimisation level of a kernel: 3 compiles longer, and its kernels are no faster.

Loops are not vectorised: they are short, and all kernels would compile a tenth longer. A step of a
walking G1 would be 2 to 3 % faster, one of a standing robot 1 % or less. Loops are unrolled only in
kernels with ``slp``, which most steps run: all kernels then compile a fifth faster, and a step in
which feet strike reads less code.
"""

SEARCH = "-memdep-block-scan-limit=30"
"""Number of instructions of a block among which LLVM looks for the store that a load reads.

With LLVM's own 100, all kernels compile a tenth longer, and are no faster.
"""
KNOWN = 22
"""Newest version of LLVM that is known to have the option: LLVM ends a process that gives it an
unknown one."""


@cache
def limit_search() -> None:
    """Set ``SEARCH``, for all that LLVM compiles in this process."""
    if binding.llvm_version_info[0] <= KNOWN:
        binding.set_option("footfall", SEARCH)


@cache
def machine() -> Any:
    """Return the target machine: this processor, or the one that ``FOOTFALL_CPU`` names."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_default_triple()
    name = os.environ.get("FOOTFALL_CPU", "")
    features = "" if name else binding.get_host_cpu_features().flatten()
    return target.create_target_machine(
        cpu=name or binding.get_host_cpu_name(),
        features=features,
        opt=3,
        reloc="static" if target.name.startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )


def optimised(code: str, names: tuple[str, ...], *, slp: bool, target: Any = None) -> Any:
    """Return LLVM's module of optimised code.

    Args:
        code: LLVM's.
        names: of the functions that are called from outside.
        slp: true to combine operations on neighbouring numbers and to unroll loops.
        target: target machine, for which nothing is vectorised; by default ``machine()``.
    """
    limit_search()
    host, target = target is None, target or machine()
    module = binding.parse_assembly(code)
    module.triple, module.data_layout = target.triple, str(target.target_data)
    options = binding.create_pipeline_tuning_options(speed_level=SPEED_LEVEL)
    options.slp_vectorization, options.loop_vectorization = slp and host, False
    options.loop_unrolling = slp
    passes = binding.create_pass_builder(target, options)
    passes.getModulePassManager().run(module, passes)
    # Other functions become internal only now: before, LLVM takes longer, for equal speed.
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name not in names:
            value.linkage = "internal"
    unused = binding.create_new_module_pass_manager()
    unused.add_global_dead_code_eliminate_pass()
    unused.run(module, passes)
    return module


def answer(jobs: BinaryIO, objects: BinaryIO) -> None:
    """Make objects until no more jobs come: a line "LENGTH SLP NAME NAME", then the code."""
    while line := jobs.readline():
        length, slp, *names = line.decode().split()
        code = jobs.read(int(length)).decode()
        made = machine().emit_object(optimised(code, tuple(names), slp=slp == "1"))
        objects.write(b"%d\n%s" % (len(made), made))
        objects.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the user, for the whole group: the owner ends
    answer(sys.stdin.buffer, sys.stdout.buffer)
