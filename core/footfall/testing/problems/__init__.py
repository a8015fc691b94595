"""Hand-made contact problems, and residuals of their answers without code of a law."""
