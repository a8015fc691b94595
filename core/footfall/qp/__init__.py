"""Shared parts of QP-solver plugins: scaling, presolve, polishing, verdict."""
