"""The contact problem: typed blocks, arrays, residuals."""
