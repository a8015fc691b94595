"""How Numba compiles functions for kernels: each lowered once, each kernel optimised once.

Numba makes a library of machine code of every function, links all that it calls into it, optimises
it, and does the same again for each caller. Here a *part* (what kernels call) ends as LLVM's
unoptimised code; a *whole* (what Python or an address calls) links the parts that it reaches,
directly or not, and is optimised and turned into machine code once.

This builds on Numba's internals, ``CPUCodeLibrary`` and the lowering pass, in the versions that
``constraints.txt`` and ``pyproject.toml`` allow.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import config, ir
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering
from numba.core.types.functions import BaseFunction

SPEED_LEVEL = 2
"""LLVM's optimisation level of a kernel: 3 compiles longer, and its kernels are no faster."""


class _Part(JITCodeLibrary):
    """A function that is lowered and neither optimised nor turned into machine code."""

    def add_llvm_module(self, module: Any) -> None:
        """Add a module as it is."""
        self._final_module.link_in(module)

    def finalize(self) -> None:
        """End without machine code: what calls it links it."""
        self._raise_if_finalized()
        self._finalized = True

    def alone(self) -> Any:
        """Return the function's code for linking, without what it calls."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """Return the code with all that it calls, for functions that Numba compiles itself."""
        module = self.alone().clone()
        _link_called(module, self)
        return module


class _Whole(JITCodeLibrary):
    """A kernel with all that it calls, optimised once."""

    add_llvm_module = _Part.add_llvm_module

    def finalize(self) -> None:
        """Link what is called, optimise and make machine code."""
        self._raise_if_finalized()
        for library in _link_called(self._final_module, self):
            self._reload_init.update(library._reload_init)
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    def _optimize_final_module(self) -> None:
        module = self._final_module
        module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._module_pass_manager(
            opt=SPEED_LEVEL,
            loop_vectorize=False,
            slp_vectorize=getattr(config, "SLP_VECTORIZE"),  # noqa: B009
        )
        passes.run(module, builder)


def _link_called(module: Any, caller: Any) -> list[Any]:
    """Link into a module what a library calls, directly or not; return those libraries.

    Each comes after one that calls it: LLVM's linker drops what nothing calls that it has seen.
    """
    linked: dict[Any, None] = {caller: None}
    waiting = list(reversed(caller._linking_libraries))
    while waiting:
        library = waiting.pop()
        if library in linked:
            continue
        linked[library] = None
        if isinstance(library, _Part):
            module.link_in(library.alone(), preserve=True)
            waiting += reversed(library._linking_libraries)
        else:
            module.link_in(library._get_module_for_linking(), preserve=True)
    return list(linked)[1:]


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerPart(NativeLowering):
    """Lowers a function and makes it known to callers, without machine code."""

    _name = "footfall_lower_part"

    def run_pass(self, state: Any) -> bool:
        """Lower a function."""
        target, function = state.targetctx, state.func_id
        state.library = library = _Part(target.codegen(), function.func_qualname)
        library.enable_object_caching()
        state.flags.no_compile = True
        super().run_pass(state)
        state.flags.no_compile = False
        lowered = state["cr"]
        # Callers find the function by an object that stands for it; nobody calls that.
        stands_for = _dynfunc.make_function(
            lowered.fndesc.lookup_module(), function.func_name, "", 0, lowered.env, (library,)
        )
        target.insert_user_function(stands_for, lowered.fndesc, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = _LowerResult(lowered.fndesc, lowered.call_helper, stands_for, lowered.env)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerWhole(NativeLowering):
    """Lowers a kernel and compiles it with what it calls."""

    _name = "footfall_lower_whole"

    def run_pass(self, state: Any) -> bool:
        """Lower and compile a kernel."""
        state.library = _Whole(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


class _Compiler(CompilerBase):
    lowering: type[NativeLowering]

    def define_pipelines(self) -> list[Any]:
        """Return Numba's own passes with another lowering."""
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [
            (self.lowering if one is NativeLowering else one, text) for one, text in pipeline.passes
        ]
        pipeline.finalize()
        return [pipeline]


class PartCompiler(_Compiler):
    """Compiles what only kernels call."""

    lowering = _LowerPart


class WholeCompiler(_Compiler):
    """Compiles kernels."""

    lowering = _LowerWhole

    def compile_extra(self, function: Any) -> Any:
        """Compile a function and what it calls."""
        with _quickly():
            return super().compile_extra(function)


@contextmanager
def _quickly() -> Iterator[None]:
    """Spare Numba's front end what it does over and over, as long as kernels are compiled.

    It asks the same builtin for the same types thousands of times, and walks every instruction's
    fields recursively. Cyclic garbage is little, and looking for it takes a tenth of the time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        with (
            patch.object(BaseFunction, "get_call_type", _remembered_call_type),
            patch.object(ir.Inst, "_rec_list_vars", _variables_in),
        ):
            yield
    finally:
        if collects:
            gc.enable()


_SIGNATURES: dict[tuple[Any, Any], Any] = {}
_FIND: Callable[..., Any] = BaseFunction.get_call_type


def _remembered_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return a builtin's signature for types of arguments, found once."""
    if kws:
        return _FIND(function, context, args, kws)
    key = function, tuple(args)
    found = _SIGNATURES.get(key)
    if found is None or found.args not in function._impl_keys:
        found = _SIGNATURES[key] = _FIND(function, context, args, kws)
    return found


_PLAIN = frozenset({str, int, float, bool, type(None), ir.Loc})


def _variables_in(instruction: Any, value: Any) -> list[Any]:
    """Return the variables that a value of an instruction's field consists of."""
    kind = type(value)
    if kind in _PLAIN:
        return []
    if kind is ir.Var:
        return [value]
    if isinstance(value, ir.Inst):
        return list(value.list_vars())
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return []
    return [one for part in value for one in _variables_in(instruction, part)]
