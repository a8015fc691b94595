"""The qp package."""
