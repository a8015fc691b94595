"""Members of enumerations in kernels: each is compiled as the integer that it equals.

A kernel may name a place by a member of an ``IntEnum``, as ``Phase.SOLVE``, ``phases.Phase.SOLVE``
or a name of its module that holds the member. Numba gives such members a type of their own, which
arrays of tables, ``max`` and assignments to floats refuse. Here they become integer constants
before types are inferred, so that the compiled code is that of a literal integer, also where a
branch is pruned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import Enum, EnumMeta
from operator import is_
from types import FunctionType, ModuleType
from typing import Any

from numba.core import ir
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import build_definitions


def plain(value: Any) -> Any:
    """Return a value with integers for members of enumerations, in tuples as well."""
    if isinstance(value, int) and isinstance(value, Enum):
        return int(value)
    if type(value) is tuple:
        parts = tuple(map(plain, value))
        return value if all(map(is_, parts, value)) else parts
    return value


def with_plain_defaults(function: FunctionType) -> FunctionType:
    """Return a function whose default arguments are integers where they are members."""
    defaults = plain(function.__defaults__)
    if defaults is function.__defaults__:
        return function
    code, names, closure = function.__code__, function.__globals__, function.__closure__
    made = FunctionType(code, names, function.__name__, defaults, closure)
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    return made


@register_pass(mutates_CFG=False, analysis_only=False)
class MembersAsIntegers(FunctionPass):
    """Replaces each read of a member by an integer constant."""

    _name = "footfall_members_as_integers"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Rewrite a function; return whether something has changed."""
        blocks, read_from, changed = state.func_ir.blocks, dict[str, Any](), False
        found = [one for block in blocks.values() for one in block.body if type(one) is ir.Assign]
        times = Counter(one.target.name for one in found)
        for one in found:
            value = _known(one.value, read_from)
            if times[one.target.name] == 1 and isinstance(value, ModuleType | EnumMeta | Enum):
                read_from[one.target.name] = value
            constant = plain(value)
            if constant is not value:
                one.value, changed = ir.Const(constant, one.loc), True
        if changed:
            state.func_ir._definitions = build_definitions(blocks)
        return changed


def _known(expression: Any, read_from: Mapping[str, Any]) -> Any:
    """Return the value of an expression that only reads names and attributes, else None.

    Args:
        expression: the right-hand side of an assignment.
        read_from: modules, enumerations and members, by the variable that holds them.
    """
    if isinstance(expression, ir.Global | ir.FreeVar):
        return expression.value
    if not isinstance(expression, ir.Expr) or expression.op != "getattr":
        return None
    holder = read_from.get(expression.value.name)
    of_member = isinstance(holder, Enum) and expression.attr == "value"  # a member is its value
    return holder if of_member else getattr(holder, expression.attr, None)
