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
from functools import cache
from types import CodeType
from typing import Any
from unittest.mock import patch

from llvmlite import ir as llvm
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import base, cgutils, config, interpreter, ir, transforms, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import PassManager, _pass_registry, register_pass
from numba.core.cpu import CPUContext
from numba.core.errors import new_error_context  # type: ignore[attr-defined]
from numba.core.lowering import Lower
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.typed_passes import (
    InlineOverloads,
    IRLegalization,
    NativeLowering,
    NopythonRewrites,
)
from numba.core.types.functions import BaseFunction
from numba.core.untyped_passes import InlineClosureLikes

from footfall.jit.announcement import compilations

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

    slp = False
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
            loop_vectorize=getattr(config, "LOOP_VECTORIZE"),  # noqa: B009
            slp_vectorize=self.slp,
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


class _Lower(Lower):
    def lower_block(self, block: Any) -> None:
        """Lower a block; what an error's context says is only written when there is one."""
        self.pre_block(block)
        for instruction in block.body:
            self.loc = instruction.loc
            try:
                self.lower_inst(instruction)
            except Exception:
                given = {"inst": instruction, "loc": self.loc}
                with new_error_context('lowering "{inst}" at {loc}', **given):
                    raise
        self.post_block(block)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerPart(NativeLowering):
    """Lowers a function and makes it known to callers, without machine code."""

    _name = "footfall_lower_part"
    lowering_class = _Lower

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


class _LowerWithEntry(_Lower):
    def create_cpython_wrapper(self, release_gil: bool = False) -> None:
        """Make the ways to call a kernel: from Python, and by address if its arguments allow."""
        super().create_cpython_wrapper(release_gil)
        if all(map(has_cells, self.fndesc.argtypes)):
            _emit_entry(self.context, self.library, self.fndesc)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerWhole(NativeLowering):
    """Lowers a kernel and compiles it with what it calls."""

    _name = "footfall_lower_whole"
    lowering_class = _LowerWithEntry

    def run_pass(self, state: Any) -> bool:
        """Lower and compile a kernel."""
        state.library = _Whole(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.slp = state.func_id.func.slp
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


def has_cells(kind: Any) -> bool:
    """Whether an argument can be handed over by the address where it lies."""
    array = isinstance(kind, types.Array) and kind.layout == "C"
    return array or isinstance(kind, types.Float | types.Integer | types.Boolean)


def entry_name(described: Any) -> str:
    """Return the name of the C function ``int f(int64_t *frame)`` of a kernel."""
    return f"footfall.{described.mangled_name}"


def _emit_entry(context: Any, library: Any, described: Any) -> None:
    """Emit the C function that calls a kernel with arguments from the addresses in a frame.

    It returns what the kernel returns, as an integer; 0 if that is nothing.
    """
    module = context.create_module("entry")
    word = context.get_value_type(types.intp)
    kind = context.call_conv.get_function_type(described.restype, described.argtypes)
    kernel = llvm.Function(module, kind, described.llvm_func_name)
    kind = llvm.FunctionType(llvm.IntType(32), [word.as_pointer()])
    entry = llvm.Function(module, kind, entry_name(described))
    builder = llvm.IRBuilder(entry.append_basic_block("entry"))
    frame = entry.args[0]
    given = [
        _argument(context, builder, kind, builder.load(cgutils.gep_inbounds(builder, frame, k)))
        for k, kind in enumerate(described.argtypes)
    ]
    _, result = context.call_conv.call_function(
        builder, kernel, described.restype, described.argtypes, given, attrs=("noinline",)
    )
    if isinstance(described.restype, types.Integer | types.Boolean):
        builder.ret(context.cast(builder, result, described.restype, types.int32))
    else:
        builder.ret(llvm.Constant(llvm.IntType(32), 0))
    library.add_ir_module(module)


def _argument(context: Any, builder: Any, kind: Any, address: Any) -> Any:
    """Emit the argument that lies at an address: a number, or address and lengths of an array.

    Of a table it is the table's own address: its length is in no kernel's interest.
    """
    if not isinstance(kind, types.Array):
        stored = types.float64 if isinstance(kind, types.Float) else types.intp
        pointer = builder.inttoptr(address, context.get_value_type(stored).as_pointer())
        return context.cast(builder, builder.load(pointer), stored, kind)
    array = context.make_array(kind)(context, builder)
    if isinstance(kind.dtype, types.Record):
        array.data = builder.inttoptr(address, array.data.type)
        return array._getvalue()
    word = context.get_value_type(types.intp)
    cells = builder.inttoptr(address, word.as_pointer())
    first, *shape = [
        builder.load(cgutils.gep_inbounds(builder, cells, k)) for k in range(1 + kind.ndim)
    ]
    size = context.get_constant(types.intp, 8)
    strides = [size]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    array.data = builder.inttoptr(first, array.data.type)
    array.shape, array.strides = (
        cgutils.pack_array(builder, shape),
        cgutils.pack_array(builder, strides),
    )
    array.itemsize = size
    array.nitems = builder.udiv(builder.mul(strides[0], shape[0]), size)
    return array._getvalue()


class _Passes(PassManager):
    """Runs passes, without looking after each whether it has kept to Numba's own rules."""

    def _runPass(self, index: int, one: Any, state: Any) -> None:  # noqa: N802  # Numba's name
        one.analysis = self._analysis
        with new_error_context("Pass {name}", name=one.name()):
            one.run_initialization(state)
            changed = one.run_pass(state)
            one.run_finalizer(state)
        if changed and _pass_registry.get(type(one)).mutates_CFG:
            state.func_ir.blocks = transforms.canonicalize_cfg(state.func_ir.blocks)


LEFT_OUT = {IRLegalization, InlineOverloads, NopythonRewrites}
"""Passes that do nothing for kernels: they count references, inline what Numba's users mark so,
and fuse expressions of whole arrays."""


class _Compiler(CompilerBase):
    lowering: type[NativeLowering]

    def define_pipelines(self) -> list[Any]:
        """Return Numba's own passes with another lowering, without those that do nothing."""
        left_out = set(LEFT_OUT)
        if not any(isinstance(one, CodeType) for one in self.state.func_id.code.co_consts):
            left_out.add(InlineClosureLikes)  # no closure, no comprehension
        whole = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline = _Passes(whole.pipeline_name)
        pipeline.passes = [
            (self.lowering if one is NativeLowering else one, text)
            for one, text in whole.passes
            if one not in left_out
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
        with compilations.announced(f"{function.__module__}.{function.__name__}"), _quickly():
            return super().compile_extra(function)


@contextmanager
def _quickly() -> Iterator[None]:
    """Spare Numba's front end what it does over and over, as long as kernels are compiled.

    It asks the same builtin for the same types thousands of times, and walks every instruction's
    fields recursively. Cyclic garbage is little, and looking for it takes a tenth of the time; so
    does looking at all that is new when it is looked for again, which therefore counts as old.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        with (
            patch.object(BaseFunction, "get_call_type", _remembered_call_type),
            patch.object(ir.Inst, "_rec_list_vars", _variables_in),
            patch.object(PostProcessor, "run", _post_process),
            patch.object(base, "_has_loc", _HAS_LOC),
            patch.object(interpreter, "peep_hole_delete_with_exit", _as_it_is),
            patch.object(interpreter, "peep_hole_fuse_dict_add_updates", _as_it_is),
            patch.object(CPUContext, "get_abi_sizeof", _size_of),
        ):
            yield
    finally:
        gc.freeze()
        gc.unfreeze()
        if collects:
            gc.enable()


_HAS_LOC: Callable[[Any], bool] = cache(base._has_loc)
"""Whether a function that emits code takes its caller's place: its signature is looked at once."""


def _as_it_is(code: Any) -> Any:
    """Return a function that has no ``with`` and no dictionary, which a pass would look for."""
    return code


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


_POST_PROCESS: Callable[..., Any] = PostProcessor.run


def _post_process(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Tidy the graph of blocks; find out which variables live where only if somebody asks."""
    code = processor.func_ir
    if emit_dels or code.is_generator:
        _POST_PROCESS(processor, emit_dels, extend_lifetimes)
        return
    code.blocks = transforms.canonicalize_cfg(code.blocks)
    code.variable_lifetime, code.generator_info = VariableLifetime(code.blocks), None


_SIZES: dict[tuple[Any, str], int] = {}


def _size_of(context: Any, kind: Any) -> int:
    """Return the size of one of LLVM's types [bytes], which LLVM is asked once."""
    key = type(context), str(kind)
    if key not in _SIZES:
        _SIZES[key] = int(kind.get_abi_size(context.target_data))
    return _SIZES[key]


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
