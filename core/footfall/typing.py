"""Array types for signatures: double precision, 64-bit integers, truth values.

The digit of ``Floats2`` is the number of dimensions. Annotate the named tuples that kernels open
with these names: ``footfall.jit.tables`` reads the layout of a table from them.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
"""Array of float64, of any shape."""
Floats1: TypeAlias = npt.NDArray[np.float64]
"""Vector of float64."""
Floats2: TypeAlias = npt.NDArray[np.float64]
"""Matrix of float64."""
Floats3: TypeAlias = npt.NDArray[np.float64]
"""Array of float64 with three dimensions."""
Ints: TypeAlias = npt.NDArray[np.int64]
"""Array of int64, of any shape."""
Ints1: TypeAlias = npt.NDArray[np.int64]
"""Vector of int64."""
Ints2: TypeAlias = npt.NDArray[np.int64]
"""Matrix of int64."""
Bools: TypeAlias = npt.NDArray[np.bool_]
"""Array of truth values, of any shape."""
