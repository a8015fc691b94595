"""Parts that QP-solver plugins share: scaling, presolve, polishing, verdict."""
