"""The QP solvers that CasADi brings along."""
