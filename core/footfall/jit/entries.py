"""What a kernel's native object exports: how compiled code calls the kernel, and how Python does.

``footfall_entry``, the C function ``int f(int64_t *frame)``, takes arguments from the addresses in
a frame (see ``footfall.jit.stages``). ``footfall_python`` is a function of Python's C interface
(``METH_FASTCALL``) whose ``self`` is the address of a frame: it writes the arguments that it is
given, the last ones of the kernel's, into the frame's cells, and calls with all of them.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir as llvm
from numba.core import cgutils, types

from footfall.jit.objects import ENTRY, PYTHON

POINTER = llvm.IntType(8).as_pointer()
WORD, DOUBLE, CODE = llvm.IntType(64), llvm.DoubleType(), llvm.IntType(32)
OBJECT_TYPE = 1
"""Word of an object of Python's that holds the address of its type."""
ARRAY_DATA, ARRAY_SHAPE = 2, 4
"""Words of an array of NumPy's that hold the addresses of its data and of its lengths."""


def has_cells(kind: Any) -> bool:
    """Whether an argument can be handed over by the address where it lies."""
    array = isinstance(kind, types.Array) and kind.layout == "C"
    return array or isinstance(kind, types.Float | types.Integer | types.Boolean)


def is_answer(kind: Any) -> bool:
    """Whether Python can be given a result: a number, a tuple of them, nothing."""
    if isinstance(kind, types.BaseTuple):
        return all(map(_format_of, _parts(kind)))
    return isinstance(kind, types.Boolean) or kind == types.none or bool(_format_of(kind))


def _parts(kind: Any) -> list[Any]:
    """Return the types in a tuple's type; none of another type."""
    return [*kind] if isinstance(kind, types.BaseTuple) else []  # type: ignore[misc]


def _format_of(kind: Any) -> str:
    """Return what ``Py_BuildValue`` calls a number."""
    if isinstance(kind, types.Float):
        return "d"
    return "L" if isinstance(kind, types.Integer) else ""


def emit_entries(context: Any, library: Any, described: Any) -> None:
    """Emit both functions into a library."""
    module = context.create_module("entries")
    kind = context.call_conv.get_function_type(described.restype, described.argtypes)
    kernel = llvm.Function(module, kind, described.llvm_func_name)

    def call(builder: Any, frame: Any) -> Any:
        given = [
            _argument(context, builder, kind, builder.load(cgutils.gep_inbounds(builder, frame, k)))
            for k, kind in enumerate(described.argtypes)
        ]
        return context.call_conv.call_function(
            builder, kernel, described.restype, described.argtypes, given, attrs=("noinline",)
        )[1]

    frame_type = WORD.as_pointer()
    entry = llvm.Function(module, llvm.FunctionType(CODE, [frame_type]), ENTRY)
    builder = llvm.IRBuilder(entry.append_basic_block("entry"))
    result = call(builder, entry.args[0])
    if isinstance(described.restype, types.Integer | types.Boolean):
        builder.ret(context.cast(builder, result, described.restype, types.int32))
    else:
        builder.ret(CODE(0))

    kind = llvm.FunctionType(POINTER, [POINTER, POINTER.as_pointer(), WORD])
    python = llvm.Function(module, kind, PYTHON)
    builder = llvm.IRBuilder(python.append_basic_block("entry"))
    to_address = _declared(module, "PyLong_AsVoidPtr", POINTER, [POINTER])
    frame = builder.bitcast(builder.call(to_address, [python.args[0]]), frame_type)
    _take(context, builder, described.argtypes, frame, *python.args[1:])
    _return(context, builder, described.restype, call(builder, frame))
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
    cells = builder.inttoptr(address, WORD.as_pointer())
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


def _declared(module: Any, name: str, result: Any, arguments: list[Any], **more: bool) -> Any:
    """Return the declaration of a function of Python's C interface."""
    return cgutils.get_or_insert_function(
        module, llvm.FunctionType(result, arguments, **more), name
    )


def _word(builder: Any, address: Any, place: Any) -> Any:
    """Emit the address of a word that lies so many words behind an address."""
    words = builder.bitcast(address, WORD.as_pointer())
    return builder.gep(words, [WORD(place) if isinstance(place, int) else place])


def _take(context: Any, builder: Any, kinds: Any, frame: Any, given: Any, count: Any) -> None:
    """Emit how the objects that Python gives, the last of the arguments, get into the frame.

    Behind the arguments' addresses the frame holds the addresses of ``numpy.ndarray`` and
    ``TypeError``.
    """
    module, total = builder.module, len(kinds)
    bound = builder.sub(WORD(total), count)
    for k, kind in enumerate(kinds):
        with builder.if_then(builder.icmp_signed(">=", WORD(k), bound)):
            one = builder.load(builder.gep(given, [builder.sub(WORD(k), bound)]))
            slot = _word(builder, frame, k)
            cell = builder.inttoptr(builder.load(slot), WORD.as_pointer())
            if isinstance(kind, types.Array):
                wanted = builder.load(_word(builder, frame, total))
                actual = builder.load(_word(builder, one, OBJECT_TYPE))
                with builder.if_then(builder.icmp_unsigned("!=", wanted, actual)):
                    _refuse(builder, builder.load(_word(builder, frame, total + 1)))
                data = builder.load(_word(builder, one, ARRAY_DATA))
                if isinstance(kind.dtype, types.Record):
                    builder.store(data, slot)
                    continue
                builder.store(data, cell)
                lengths = builder.load(_word(builder, one, ARRAY_SHAPE))
                lengths = builder.inttoptr(lengths, WORD.as_pointer())
                for axis in range(kind.ndim):
                    length = builder.load(_word(builder, lengths, axis))
                    builder.store(length, _word(builder, cell, 1 + axis))
            elif isinstance(kind, types.Float):
                convert = _declared(module, "PyFloat_AsDouble", DOUBLE, [POINTER])
                number = builder.call(convert, [one])
                builder.store(number, builder.bitcast(cell, DOUBLE.as_pointer()))
            else:
                convert = _declared(module, "PyLong_AsLongLong", WORD, [POINTER])
                builder.store(builder.call(convert, [one]), cell)
    failed = builder.call(_declared(module, "PyErr_Occurred", POINTER, []), [])
    with builder.if_then(cgutils.is_not_null(builder, failed)):
        builder.ret(POINTER(None))


def _refuse(builder: Any, exception: Any) -> None:
    """Emit how Python is told that an argument is no array."""
    told = _declared(builder.module, "PyErr_SetString", llvm.VoidType(), [POINTER, POINTER])
    text = _text(builder, "a bound kernel takes an array where it was bound for one")
    builder.call(told, [builder.inttoptr(exception, POINTER), text])
    builder.ret(POINTER(None))
    builder.position_at_end(builder.append_basic_block("unreached"))


def _text(builder: Any, text: str) -> Any:
    """Emit the address of a text."""
    content = cgutils.make_bytearray(text.encode() + b"\0")
    return builder.bitcast(cgutils.global_constant(builder.module, "text", content), POINTER)


def _return(context: Any, builder: Any, kind: Any, result: Any) -> None:
    """Emit the object of Python's that a result becomes, and its return."""
    module = builder.module

    def made(name: str, number: Any) -> Any:
        return builder.call(_declared(module, name, POINTER, [number.type]), [number])

    if isinstance(kind, types.Float):
        made_of = made("PyFloat_FromDouble", context.cast(builder, result, kind, types.float64))
    elif isinstance(kind, types.Boolean):
        made_of = made("PyBool_FromLong", context.cast(builder, result, kind, types.int64))
    elif isinstance(kind, types.Integer):
        made_of = made("PyLong_FromLongLong", context.cast(builder, result, kind, types.int64))
    else:
        parts = _parts(kind)
        text = "".join(map(_format_of, parts))
        numbers = [
            context.cast(
                builder,
                builder.extract_value(result, k),
                part,
                types.float64 if isinstance(part, types.Float) else types.int64,
            )
            for k, part in enumerate(parts)
        ]
        build = _declared(module, "Py_BuildValue", POINTER, [POINTER], var_arg=True)
        form = _text(builder, f"({text})" if parts else "")
        made_of = builder.call(build, [form, *numbers])
    builder.ret(made_of)
