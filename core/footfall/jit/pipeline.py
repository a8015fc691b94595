"""Numba's pipeline for kernels: each function is lowered once, each kernel optimised once.

Numba makes a library of machine code from every function, links its callees into it, optimises it,
and repeats this for each caller. Here every function is a *part* that ends as LLVM's unoptimised
code. A kernel that Python binds or calls is linked with the parts that it reaches, directly or not,
and with a C function to call it; the whole is optimised once.

This builds on Numba's internals, ``CPUCodeLibrary`` and the lowering pass, in the versions that
``constraints.txt`` and ``pyproject.toml`` allow.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from types import CodeType
from typing import Any, NamedTuple
from unittest.mock import patch

from footfall.errors import PluginError
from footfall.jit.enumerations import MembersAsIntegers
from footfall.jit.frames import LENGTHS, RAISED, STRIDES

NUMBA = "numba>=0.64,<0.69"
"""The versions whose internals this module knows, as in ``pyproject.toml``."""

try:
    from llvmlite import binding
    from llvmlite import ir as llvm
    from numba import _dynfunc  # type: ignore[attr-defined]
    from numba.core import base, cgutils, interpreter, ir, transforms, types
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
    from numba.core.untyped_passes import InlineClosureLikes, RewriteSemanticConstants

    REPLACED = (
        (BaseFunction, "get_call_type"),
        (ir.Inst, "_rec_list_vars"),
        (PostProcessor, "run"),
        (base, "_has_loc"),
        (interpreter, "peep_hole_delete_with_exit"),
        (interpreter, "peep_hole_fuse_dict_add_updates"),
        (CPUContext, "get_abi_sizeof"),
        (JITCodeLibrary, "_get_module_for_linking"),
        (Lower, "lower_block"),
        (PassManager, "_runPass"),
    )
    """Names in Numba that this module replaces or overrides."""
    missing = [f"{owner.__name__}.{name}" for owner, name in REPLACED if not hasattr(owner, name)]
    if missing:
        raise ImportError(f"no {', '.join(missing)}")
except ImportError as error:
    raise PluginError(
        f"Numba {version('numba')} cannot compile kernels, which need internals of another one "
        f"({error}): pip install '{NUMBA}'"
    ) from error

SPEED_LEVEL = 2
"""LLVM's optimisation level of a kernel: 3 compiles longer, and its kernels are no faster."""


class _Part(JITCodeLibrary):
    """A function that is lowered and neither optimised nor turned into machine code."""

    def add_llvm_module(self, module: Any) -> None:
        """Add a module as it is."""
        self._final_module.link_in(module)

    def finalize(self) -> None:
        """End without machine code: callers link it."""
        self._raise_if_finalized()
        self._finalized = True

    def alone(self) -> Any:
        """Return the function's code for linking, without its callees."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """Return the code with its callees, for functions that Numba compiles itself."""
        module = self.alone().clone()
        _link_called(module, self)
        return module


def _link_called(module: Any, caller: Any) -> None:
    """Link the callees of a library into a module, direct and indirect ones.

    Each follows one of its callers: LLVM's linker drops functions that nothing linked so far calls.
    """
    linked = {caller}
    waiting = list(reversed(caller._linking_libraries))
    while waiting:
        library = waiting.pop()
        if library in linked:
            continue
        linked.add(library)
        if isinstance(library, _Part):
            module.link_in(library.alone(), preserve=True)
            waiting += reversed(library._linking_libraries)
        else:
            module.link_in(library._get_module_for_linking(), preserve=True)


class _Lower(Lower):
    def lower_block(self, block: Any) -> None:
        """Lower a block; the context of an error is only formatted if there is an error."""
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


class Optimised(NamedTuple):
    """A kernel with all that it calls, ready to be turned into machine code.

    Attributes:
        module: LLVM's, with one function that can be called from outside.
        result: see ``footfall.jit.native.Entry``.
        lasts: true if other processes can use its code.
        machine: LLVM's target machine, which emits its machine code.
    """

    module: Any
    result: str
    lasts: bool
    machine: Any


C_LIBRARY = {
    *("acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "erf", "erfc"),
    *("exp", "exp2", "expm1", "fmod", "hypot", "log", "log10", "log1p", "log2", "pow", "sin"),
    *("sincos", "sinh", "sqrt", "tan", "tanh", "memcpy", "memmove", "memset"),
}
"""Functions that objects may call: every process has them. LLVM ends a process that lacks one."""


def optimise(context: Any, part: Any, name: str, slp: bool) -> Optimised | None:
    """Link a lowered kernel with its callees and a C function to call it; optimise it all once.

    Other functions become internal only afterwards: before, LLVM takes longer, for equal speed.

    Args:
        context: Numba's, of the processor.
        part: the kernel as compiled by Numba.
        name: of the C function.
        slp: see ``footfall.jit.compiling.kernel``.
    """
    result = _letters(part.signature.return_type)
    if result is None:
        return None
    codegen = context.codegen()
    library = _Part(codegen, name)
    with context.push_code_library(library):
        _emit_entry(context, library, part.fndesc, name, python=False)
        _emit_entry(context, library, part.fndesc, f"{name}_", python=True)
    library.add_linking_library(part.library)
    module = library._final_module
    _link_called(module, library)
    module.data_layout = codegen._data_layout
    passes, builder = codegen._module_pass_manager(opt=SPEED_LEVEL, slp_vectorize=slp)
    passes.run(module, builder)
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name not in (name, f"{name}_"):
            value.linkage = "internal"
    unused = binding.create_new_module_pass_manager()
    unused.add_global_dead_code_eliminate_pass()
    unused.run(module, builder)
    module.verify()
    if any("NumbaEnv" in value.name for value in module.global_variables):
        return None  # it prints, or raises a message made at run time
    values = [*module.functions, *module.global_variables]
    outside = {value.name for value in values if value.is_declaration}
    foreign = {name for name in outside if not name.startswith("llvm.")} - C_LIBRARY
    moves = any(value.name.startswith("numba.dynamic.globals") for value in values)
    return Optimised(module, result, not (foreign or moves), codegen._tm)


def _numbers(kind: Any) -> list[Any]:
    """Return the types of the numbers that a result consists of."""
    if isinstance(kind, types.Tuple | types.UniTuple):
        return list(kind.types)
    return [] if isinstance(kind, types.NoneType) else [kind]


def _letters(kind: Any) -> str | None:
    """Return the letters of a result (``frames.LETTERS``); None if it holds other things."""
    of = {types.Float: "f", types.Boolean: "b", types.Integer: "i"}
    found = [[of[t] for t in of if isinstance(number, t)] for number in _numbers(kind)]
    letters = "".join(letter for (letter,) in found) if all(found) else None
    return f"({letters})" if letters and isinstance(kind, types.BaseTuple) else letters


def _emit_entry(context: Any, library: Any, described: Any, name: str, *, python: bool) -> None:
    """Emit a C function that calls a kernel with arguments from the addresses in a frame.

    It returns the kernel's result if that is an integer, else 0. With ``python`` the frame holds
    numbers, addresses of array objects instead of cells, and the address of the result.
    """
    module = context.create_module("entry")
    word = context.get_value_type(types.intp)
    kind = context.call_conv.get_function_type(described.restype, described.argtypes)
    kernel = llvm.Function(module, kind, described.llvm_func_name)
    kind = llvm.FunctionType(llvm.IntType(32), [word.as_pointer()])
    entry = llvm.Function(module, kind, name)
    builder = llvm.IRBuilder(entry.append_basic_block("entry"))
    given = [
        _argument(context, builder, kind, entry.args[0], k, python=python)
        for k, kind in enumerate(described.argtypes)
    ]
    status, result = context.call_conv.call_function(
        builder, kernel, described.restype, described.argtypes, given, attrs=("noinline",)
    )
    with builder.if_then(status.is_error, likely=False):
        builder.ret(llvm.Constant(llvm.IntType(32), RAISED))
    code = llvm.Constant(llvm.IntType(32), 0)
    if python:
        place = _at(builder, entry.args[0], len(given))
        _write(context, builder, described.restype, result, place)
    elif isinstance(described.restype, types.Integer | types.Boolean):
        code = context.cast(builder, result, described.restype, types.int32)
    builder.ret(code)
    library.add_ir_module(module)


def _at(builder: Any, words: Any, k: int) -> Any:
    return builder.load(cgutils.gep_inbounds(builder, words, k))


def _write(context: Any, builder: Any, kind: Any, result: Any, place: Any) -> None:
    """Emit code that writes a result's numbers one after another."""
    several = isinstance(kind, types.BaseTuple)
    values = cgutils.unpack_tuple(builder, result) if several else [result]
    for k, (part, value) in enumerate(zip(_numbers(kind), values, strict=False)):
        stored = types.float64 if isinstance(part, types.Float) else types.intp
        to = builder.inttoptr(place, context.get_value_type(stored).as_pointer())
        number = context.cast(builder, value, part, stored)
        builder.store(number, cgutils.gep_inbounds(builder, to, k))


def _argument(context: Any, builder: Any, kind: Any, frame: Any, k: int, *, python: bool) -> Any:
    """Emit the k-th argument: a number, or address and lengths of an array.

    A table is its own address: no kernel needs its length. NumPy's array objects hold the address,
    the dimensions, and pointers to lengths and strides.
    """
    word = context.get_value_type(types.intp)
    told = cgutils.gep_inbounds(builder, frame, k)
    if not isinstance(kind, types.Array):
        stored = types.float64 if isinstance(kind, types.Float) else types.intp
        pointer = context.get_value_type(stored).as_pointer()
        place = builder.bitcast(told, pointer)
        if not python:
            place = builder.inttoptr(builder.load(told), pointer)
        return context.cast(builder, builder.load(place), stored, kind)
    address, count = builder.load(told), kind.ndim
    told = builder.inttoptr(address, word.as_pointer())
    array = context.make_array(kind)(context, builder)
    if isinstance(kind.dtype, types.Record):
        array.data = builder.inttoptr(_at(builder, told, 0) if python else address, array.data.type)
        return array._getvalue()
    if python:
        lengths, steps = (
            builder.inttoptr(_at(builder, told, k), word.as_pointer()) for k in (LENGTHS, STRIDES)
        )
    else:
        lengths, steps = (cgutils.gep_inbounds(builder, told, k) for k in (1, 1 + count))
    size = context.get_constant(
        types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype))
    )
    shape = [_at(builder, lengths, k) for k in range(count)]
    strides: list[Any] = []
    bytes_of_all = size
    for k in reversed(range(count)):
        strides.insert(0, bytes_of_all if kind.layout == "C" else _at(builder, steps, k))
        bytes_of_all = builder.mul(bytes_of_all, shape[k])
    array.data = builder.inttoptr(_at(builder, told, 0), array.data.type)
    array.shape = cgutils.pack_array(builder, shape, word)
    array.strides = cgutils.pack_array(builder, strides, word)
    array.itemsize = size
    array.nitems = builder.udiv(bytes_of_all, size)
    return array._getvalue()


class _Passes(PassManager):
    """Runs passes without checking after each that it has kept Numba's rules."""

    def _runPass(self, index: int, one: Any, state: Any) -> None:  # noqa: N802  # Numba's name
        one.analysis = self._analysis
        with new_error_context("Pass {name}", name=one.name()):
            one.run_initialization(state)
            changed = one.run_pass(state)
            one.run_finalizer(state)
        if changed and _pass_registry.get(type(one)).mutates_CFG:
            state.func_ir.blocks = transforms.canonicalize_cfg(state.func_ir.blocks)


LEFT_OUT = {IRLegalization, InlineOverloads, NopythonRewrites}
"""Passes that do nothing for kernels: they count references, inline functions that are marked
for it, and fuse expressions of whole arrays."""


class PartCompiler(CompilerBase):
    """Compiles kernels and their callees, up to the code that LLVM gets."""

    def define_pipelines(self) -> list[Any]:
        """Return Numba's own passes with another lowering, without those that do nothing."""
        left_out = set(LEFT_OUT)
        if not any(isinstance(one, CodeType) for one in self.state.func_id.code.co_consts):
            left_out.add(InlineClosureLikes)  # no closure, no comprehension
        whole = DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline = _Passes(whole.pipeline_name)
        for one, text in whole.passes:
            if one is RewriteSemanticConstants:  # closures have been inlined, no branch is pruned
                pipeline.passes.append((MembersAsIntegers, "members as integers"))
            if one not in left_out:
                pipeline.passes.append((_LowerPart if one is NativeLowering else one, text))
        pipeline.finalize()
        return [pipeline]


@contextmanager
def quickly() -> Iterator[None]:
    """Speed up Numba's front end while kernels are compiled.

    Numba asks the same builtin for the same types thousands of times, and walks every instruction's
    fields recursively: both are remembered or shortened. The garbage collector is off: there is
    little cyclic garbage, and collections take a tenth of the time. Afterwards all objects count
    as old, which saves as much in the next collection.
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
"""Return True if a function that emits code takes the place of its caller; remembered."""


def _as_it_is(code: Any) -> Any:
    """Return code unchanged: kernels have no ``with`` and no dictionary that a pass looks for."""
    return code


_SIGNATURES: dict[tuple[Any, Any], Any] = {}
_FIND: Callable[..., Any] = BaseFunction.get_call_type


def _remembered_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
    """Return a builtin's signature for types of arguments; remembered."""
    if kws:
        return _FIND(function, context, args, kws)
    key = function, tuple(args)
    found = _SIGNATURES.get(key)
    if found is None or found.args not in function._impl_keys:
        found = _SIGNATURES[key] = _FIND(function, context, args, kws)
    return found


_POST_PROCESS: Callable[..., Any] = PostProcessor.run


def _post_process(processor: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Tidy the graph of blocks; lifetimes of variables are computed only if asked for."""
    code = processor.func_ir
    if emit_dels or code.is_generator:
        _POST_PROCESS(processor, emit_dels, extend_lifetimes)
        return
    code.blocks = transforms.canonicalize_cfg(code.blocks)
    code.variable_lifetime, code.generator_info = VariableLifetime(code.blocks), None


_SIZES: dict[tuple[Any, str], int] = {}


def _size_of(context: Any, kind: Any) -> int:
    """Return the size of one of LLVM's types, [bytes]; remembered."""
    key = type(context), str(kind)
    if key not in _SIZES:
        _SIZES[key] = int(kind.get_abi_size(context.target_data))
    return _SIZES[key]


_PLAIN = frozenset({str, int, float, bool, type(None), ir.Loc})


def _variables_in(instruction: Any, value: Any) -> list[Any]:
    """Return the variables in a value of an instruction's field."""
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
