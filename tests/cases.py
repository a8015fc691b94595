"""Many cases of one property in one test: it runs them all, and names those that fail."""

import functools
import inspect

import pytest
from _pytest.mark.structures import ParameterSet

PLAIN = (str, int, float, bool, type(None))
"""Values that name themselves."""


def each(names, values, ids=None):
    """Give a test its cases in a loop: what ``pytest.mark.parametrize`` takes, as one test.

    For many small cases, which as tests of their own would take longer to collect, to set up and to
    report than to run. All cases get the same fixtures: not for tests that leave one changed.
    Several stack up, as those of pytest do, below what parametrises fixtures.

    Args:
        names: of the arguments, as of ``parametrize``.
        values: of each case: one value, a tuple where there are several names, or ``pytest.param``
            without marks.
        ids: name of each case, or a function that names a value.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    cases = [one_case(arguments, value, ids, k) for k, value in enumerate(values)]
    assert cases, f"no cases of {names}"

    def decorate(test):
        @functools.wraps(test)
        def run_all(*args, **given):
            run([(name, functools.partial(test, *args, **given, **row)) for name, row in cases])

        signature = inspect.signature(test)
        left = [p for name, p in signature.parameters.items() if name not in arguments]
        run_all.__signature__ = signature.replace(parameters=left)
        return run_all

    return decorate


def one_case(arguments, value, ids, k):
    """Return the name of the k-th case and its arguments."""
    name = ids[k] if isinstance(ids, list | tuple) else None
    if isinstance(value, ParameterSet):
        assert not value.marks, "a case has no marks"
        name, row = value.id or name, value.values
    else:
        row = value if len(arguments) > 1 else (value,)
    assert len(row) == len(arguments), f"{row} for {arguments}"
    if name is None and callable(ids):
        name = "-".join(str(ids(part)) for part in row)
    if name is None:
        name = ", ".join(
            f"{argument} {part}" if isinstance(part, PLAIN) else f"{argument} {k}"
            for argument, part in zip(arguments, row, strict=True)
        )
    return name, dict(zip(arguments, row, strict=True))


def run(cases):
    """Run every case; fail with the names and the errors of those that failed.

    Args:
        cases: name and what to call, of each.

    Raises:
        ExceptionGroup: if several failed; their names are in its message and on each error.
        Exception: of the one that failed, with its name.
    """
    failed, skipped = [], []
    for name, case in cases:
        try:
            case()
        except pytest.skip.Exception as skip:
            skipped.append(f"{name}: {skip.msg}")
        except (Exception, pytest.fail.Exception) as error:
            error.add_note(f"in the case: {name}")
            failed.append((name, error))
    if len(failed) == 1:
        raise failed[0][1]
    if failed:
        listed = "; ".join(name for name, _ in failed)
        errors = [error for _, error in failed]
        raise BaseExceptionGroup(f"{len(failed)} of {len(cases)} cases: {listed}", errors)
    if skipped:
        pytest.skip("; ".join(skipped))


ASKED_FOR = {"drake", "rerun", "quadprog", "crocoddyl"}
"""Extras that the tests do without: CI may skip what needs them."""


def missing(entry):
    """Return why the tests of a plugin are skipped, "" if its packages are installed."""
    if not entry.missing:
        return ""
    return f'needs the extra "{entry.extra}"' if entry.extra in ASKED_FOR else entry.install_hint


def first(*values, runs=1, names=1):
    """Return cases of which the first are run each time, and the others as long tests.

    Args:
        values: of each case: one value, or ``pytest.param``, also with marks.
        runs: how many are run each time.
        names: how many arguments a case gives; with several, a value is a tuple of theirs.
    """
    return [value if k < runs else long(value, names) for k, value in enumerate(values)]


def long(value, names=1):
    """Return a case that is a long test."""
    if isinstance(value, ParameterSet):
        return pytest.param(*value.values, id=value.id, marks=[*value.marks, pytest.mark.long])
    return pytest.param(*(value if names > 1 else [value]), marks=pytest.mark.long)
