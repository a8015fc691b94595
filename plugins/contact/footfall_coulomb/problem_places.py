"""The places of numbers in a contact problem's arrays, by which this law's kernels call them."""

from __future__ import annotations

from footfall.api.contact import REPORT, SIZE

BLOCKS, ROWS, IMPULSIVE = SIZE.blocks, SIZE.rows, SIZE.impulsive
ITERATIONS, RESIDUAL, FAILED, CORRECTS = REPORT
