"""Every QP solver that the package qpsolvers finds."""
