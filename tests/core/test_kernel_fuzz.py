"""Random kernels, written from a grammar of the language, give what Python gives."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz.outcome import SEED

from footfall.jit.compiling import inner, kernel, routine

CALLED = """
@inner
def bump(a, k, by=0.5):
    a[k % 6] += by
    return a[(k + 1) % 6]

@routine
def early(i, j, x=1.5):
    if i > j:
        return x, i
    for k in range(j):
        if k * k > i:
            return x * k, k
    return -x, j

@inner
def rowed(row, k):
    row[k % 4] = row[(k + 1) % 4] + 1
    return row[k % 4] - len(row)
"""
RESULT = "i0, i1, i2, x0, x1, x2, b0, w"


class Grammar:
    """Writes a function of three integers, three floats, and arrays of both."""

    def __init__(self, seed: int) -> None:
        self.chance, self.names = random.Random(seed), 0

    def one(self, *forms: str) -> str:
        return self.chance.choice(forms)

    def whole(self, depth: int = 2) -> str:
        if depth < 1:
            return self.one("i0", "i1", "i2", "3", "-2", "len(a)", "c.shape[1]")
        i, j, x = self.whole(depth - 1), self.whole(depth - 1), self.real(depth - 2)
        k, b = self.whole(depth - 2), self.truth(depth - 1)
        return self.one(
            *(f"({i} {how} {j})" for how in ("+", "-", "*", "&", "|", "^")),
            *(f"({i} {how} ({j} or 7))" for how in ("//", "%")),
            *(f"({i} {how} -3)" for how in ("//", "%")),
            *(f"-{i}", f"~{i}", f"({i} << {k} % 5)", f"({i} >> {k} % 70)", f"abs({i})"),
            *(f"({i} if {b} else {j})", f"min({i}, {j})", f"max({i}, {j}, {k})", f"({i} or {j})"),
            *(f"(({b}) + {i})", f"c[{i} % 3, {j} % 4]", f"c[{i} % 3][{j} % 4]", f"({i} and {j})"),
            *(f"early({i} % 9, {j} % 5)[1]", f"early(x={x}, j={j} % 5, i={i} % 9)[1]"),
            *(f"rowed(c[{i} % 3], {j})", f"({i}, {j}, {k})[{i} % 3]", f"len(a[{k} % 6:{j} % 9])"),
        )

    def real(self, depth: int = 2) -> str:
        if depth < 1:
            return self.one("x0", "x1", "x2", "0.5", "-0.0", "w", "a[2]")
        x, y, b = self.real(depth - 1), self.real(depth - 1), self.truth(depth - 1)
        i = self.whole(depth - 1)
        return self.one(
            *(f"({x} {how} {y})" for how in ("+", "-", "*", "/", "//", "%")),
            *(f"({x} {how} {i})" for how in ("+", "-", "*", "/", "//", "%")),
            *(f"-{x}", f"abs({x})", f"min({x}, {y})", f"max({x}, {y})", f"({x} if {b} else {y})"),
            *(f"a[{i} % 6]", f"bump(a, {i})", f"bump(a, by={x}, k={i})", f"early({i} % 9, 4)[0]"),
            *(f"({x} and {y})", f"({x} or {y})", f"({x}, {y})[{i} % 2]", f"sum(({x}, {y}))"),
            *("(a[1] + bump(a, 0) + a[1])", f"a[1:][{i} % 5]", f"(*({x}, {y}), {x})[1]"),
        )

    def truth(self, depth: int = 2) -> str:
        if depth < 1:
            return self.one("b0", "not b0", "i0 > i1", "x0 < x1", "True", "i2", "x2 != x2")
        b, d, x, y = *(self.truth(depth - 1) for _ in "12"), *(self.real(depth - 1) for _ in "12")
        i, j = self.whole(depth - 1), self.whole(depth - 1)
        how = [self.one("<", "<=", ">", ">=", "==", "!=") for _ in "123"]
        return self.one(
            *(f"({b} and {d})", f"({b} or {d})", f"(not ({b} or not {d}))", f"({i} in ({j}, 3))"),
            *(f"({x} {how[0]} {y})", f"({x} {how[0]} {i} {how[1]} {y} {how[2]} {j})"),
            *(f"(({i}, {j}) == ({j}, 1))", f"({i} {how[1]} {j})", f"({b} and {d} or {b})"),
        )

    def block(self, depth: int, loop: bool) -> list[str]:
        count = self.chance.randint(1, 4)
        lines = [line for _ in range(count) for line in self.statement(depth, loop)]
        return [f"    {line}" for line in lines]

    def statement(self, depth: int, loop: bool) -> list[str]:
        simple = (
            *(f"{self.one('i0', 'i1', 'i2')} = {self.whole()} % 1009", f"b0 = {self.truth()} != 0"),
            *(f"{self.one('x0', 'x1', 'x2')} = {self.real()}", f"x0 -= {self.real()}"),
            *(f"i1 += {self.whole()} % 5", "i0, i1 = i1, i0", "x0, (x1, i0) = x1, (x0, i1)"),
            *(f"a[{self.whole()} % 6] = {self.real()}", f"a[{self.whole()} % 6] *= bump(a, i0)"),
            *(f"c[i0 % 3, {self.whole()} % 4] {self.one('+', '-')}= {self.whole()} % 11",),
            *("a[1], a[i0 % 6] = a[i0 % 6], a[1]", "i2, c[i2 % 3, 1] = 5, i2", "w = w + 1"),
            *("t = (i0, (x0, b0)); i1 = t[0]; x2 = t[1][0]", f"w = {self.real()}"),
            *(
                f"w = x1 if {self.truth()} else i0",
                f"x1, i2 = early(*(i0 % 9, i1 % 5), {self.real()})",
            ),
        )
        if depth < 1 or self.chance.random() < 0.5:
            jumps = ("break", "continue") if loop else ()
            jumps += (f"if {self.truth()}: return {RESULT}",)
            return [self.one(*simple, *jumps)]
        self.names += 1
        n, more, body = self.names, self.block(depth - 1, loop), self.block(depth - 1, True)
        return self.chance.choice(
            [
                [
                    f"if {self.truth()}:",
                    *self.block(depth - 1, loop),
                    f"elif {self.truth()}:",
                    *more,
                ],
                [f"if {self.truth()}:", *self.block(depth - 1, loop), "else:", *more],
                [f"for k{n} in range({self.whole(1)} % 4):", *body, f"    i1 = k{n}"],
                [f"for i0 in range({self.whole(1)} % 9, -2, -3):", *body],
                [f"for v{n}, u{n} in ((i0, x0), (2, w)):", *body, f"    x2 = u{n} - v{n}"],
                [f"n{n} = 4", f"while n{n} > 0 and {self.truth()}:", f"    n{n} -= 1", *body],
                [f"n{n} = 0", "while True:", f"    n{n} += 1", f"    if n{n} > 3: break", *body],
            ]
        )

    def function(self, name: str) -> str:
        lines = [line for _ in range(6) for line in self.statement(2, False)]
        head = [f"def {name}(a, c, i0, i1, x0, x1):", "    i2, x2, b0, w = 1, 0.25, False, 1"]
        return "\n".join([*head, *(f"    {line}" for line in lines), f"    return {RESULT}", ""])


def given(chance):
    floats, whole = np.arange(12.0) - 2.5, np.arange(24).reshape(3, 8)
    a = chance.choice([floats[:6], floats[::2], floats[5::-1]])
    c = chance.choice([whole[:, :4].copy(), np.asfortranarray(whole[:, 4:]), whole[:, ::2]])
    x = [chance.choice([-0.0, 1.5, -2.25, math.nan, math.inf, chance.uniform(-9, 9)]) for _ in "12"]
    return [a, c, chance.randint(-9, 9), chance.randint(-9, 9), *x]


def outcome(function, arguments):
    a, c, *numbers = arguments
    try:
        with np.errstate(all="ignore"):
            return [*function(a, c, *numbers), *a, *c.flat]
    except (ZeroDivisionError, OverflowError):
        return None


def compare(folder: Path, seeds: range) -> int:
    """Return how many calls gave Python's numbers; the others fail, with the function's text."""
    compared, texts = 0, [Grammar(seed).function(f"f{seed}") for seed in seeds]
    file = folder / f"random_{seeds[0]}.py"
    file.write_text("\n".join([CALLED, *texts]))
    code = compile(file.read_text(), str(file), "exec")
    python, ours = ({"inner": same, "routine": same} for same in (lambda f: f, None))
    ours |= {"inner": inner, "routine": routine}
    exec(code, python)
    exec(code, ours)
    for seed, text in zip(seeds, texts, strict=True):
        chance, compiled = random.Random(seed), kernel(ours[f"f{seed}"])
        for _ in range(6):
            state = chance.getstate()
            expected = outcome(python[f"f{seed}"], given(chance))
            chance.setstate(state)
            arguments = given(chance)
            if expected is not None:
                told = f"{arguments}\n{text}"
                np.testing.assert_array_equal(outcome(compiled, arguments), expected, told)
                compared += 1
    return compared


@pytest.mark.parametrize(
    "seeds", [range(12), pytest.param(range(100 * SEED, 100 * SEED + 100), marks=pytest.mark.long)]
)
def test_random_kernels_give_what_python_gives(seeds, tmp_path):
    assert compare(tmp_path, seeds) > 2 * len(seeds)
