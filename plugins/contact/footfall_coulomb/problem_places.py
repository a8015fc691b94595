"""Names of the places in a contact problem's arrays, for this law's kernels."""

from __future__ import annotations

from footfall.api.contact import REPORT, SIZE

BLOCKS, ROWS, IMPULSIVE = SIZE.blocks, SIZE.rows, SIZE.impulsive
ITERATIONS, RESIDUAL, FAILED, CORRECTS = REPORT
