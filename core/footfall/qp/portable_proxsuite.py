"""The build of proxsuite whose results do not depend on the memory addresses of arrays.

proxsuite picks an AVX build of itself when it is imported. That build peels loops by the alignment
of its arrays, so the same problem gives answers that differ in the last bit from process to
process, and a restored run would not continue bit for bit. The SSE2 build in the same wheel is
reproducible, and as fast for problems of tens of variables.
"""

from __future__ import annotations

import sys
import warnings
from types import SimpleNamespace
from typing import Any

INSTRUCTION_SETS = "proxsuite.instructionset"
PORTABLE = "proxsuite.proxsuite_pywrap"


WITHOUT_AVX: Any = SimpleNamespace(has_AVX512F=lambda: False, has_AVX2=lambda: False)
"""Stand-in for that module on a processor without AVX, for which proxsuite loads its SSE2 build."""


def load_proxqp() -> Any:
    """Return the module ``proxsuite.proxqp`` of the portable build.

    The whole process then uses that build: two builds cannot be loaded side by side. If another
    package has already imported proxsuite, that build is used, with a warning.
    """
    if "proxsuite" not in sys.modules:
        sys.modules[INSTRUCTION_SETS] = WITHOUT_AVX
        try:
            import proxsuite
        finally:
            del sys.modules[INSTRUCTION_SETS]
    import proxsuite

    if PORTABLE not in sys.modules:
        warnings.warn(
            "proxsuite was imported before Footfall, in a build whose results can differ in the "
            "last bit from run to run; call footfall.api.advanced.load_proxqp() before that "
            "import, so that restored runs continue bit for bit",
            RuntimeWarning,
            stacklevel=2,
        )
    return proxsuite.proxqp
