"""The QP solvers that the package qpsolvers finds."""
