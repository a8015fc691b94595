"""An instrumented build of kernels: the same source, run by Python over numbers that count."""

import numpy as np

from footfall.jit.compiling import Choice, Kernel


class Counts:
    """Multiplications and divisions, and additions and subtractions, so far."""

    def __init__(self):
        self.products = self.sums = 0


class Counted:
    """A number that counts what is done with it."""

    __slots__ = ("counts", "value")

    def __init__(self, value, counts):
        self.value, self.counts = float(value), counts

    def _product(self, value):
        self.counts.products += 1
        return Counted(value, self.counts)

    def _sum(self, value):
        self.counts.sums += 1
        return Counted(value, self.counts)

    def __mul__(self, other):
        return self._product(self.value * value_of(other))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self._product(self.value / value_of(other))

    def __rtruediv__(self, other):
        return self._product(value_of(other) / self.value)

    def __add__(self, other):
        return self._sum(self.value + value_of(other))

    __radd__ = __add__

    def __sub__(self, other):
        return self._sum(self.value - value_of(other))

    def __rsub__(self, other):
        return self._sum(value_of(other) - self.value)

    def __neg__(self):
        return Counted(-self.value, self.counts)


def value_of(number):
    """Return the value of a counted or plain number."""
    return number.value if isinstance(number, Counted) else float(number)


def instrumented(function, known=None):
    """Return a kernel as a Python function that calls only such functions."""
    known = {} if known is None else known
    if function in known:
        return known[function]
    source = function.function
    names = dict(source.__globals__)
    plain = type(source)(source.__code__, names, source.__name__, source.__defaults__)
    known[function] = plain
    for name in source.__code__.co_names:
        if isinstance(names.get(name), Kernel):
            names[name] = instrumented(names[name], known)
        elif isinstance(names.get(name), Choice):
            each = names[name].functions.items()
            names[name] = by_way({way: instrumented(one, known) for way, one in each})
    return plain


def by_way(functions):
    """Return a function that calls one of several, by the type of its first argument."""
    return lambda way, *args: functions[type(way)](*args)


def counting(arrays, counts):
    """Return a named tuple with copies of its arrays; those of floats count."""

    def copy(array):
        if array.dtype != np.float64:
            return array.copy()
        made = np.array([Counted(x, counts) for x in array.ravel()], object)
        return made.reshape(array.shape)

    return type(arrays)(*(copy(a) for a in arrays))


def values(array):
    """Return the values of an array of counted numbers."""
    return np.array([value_of(x) for x in array.ravel()]).reshape(array.shape)
