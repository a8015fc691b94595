"""The conformance kit: named checks based on physics, for plugins of every role.

A plugin's own test is one line::

    def test_conforms():
        footfall.testing.assert_conforms("contact", MyLaw)

or one test per check::

    @pytest.mark.parametrize("check", footfall.testing.checks("contact"), ids=str)
    def test_conforms(check):
        check.verify(MyLaw)
"""

from footfall.testing.check import Check, Finding, NotApplicable, Report, Result, Subject
from footfall.testing.conform import assert_conforms, check_plugin, checks, roles

__all__ = [
    "Check",
    "Finding",
    "NotApplicable",
    "Report",
    "Result",
    "Subject",
    "assert_conforms",
    "check_plugin",
    "checks",
    "roles",
]
