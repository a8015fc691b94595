"""The QP solvers that come with CasADi."""
