"""Planning by sampling: the cross-entropy method, and model predictive path integrals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.api.plugin import Floats

ELITE = 0.1
"""Part of the runs that is taken over (cross-entropy)."""
KEPT = 0.3
"""Part of the former spread that is kept, against collapse."""
LEAST = 0.1
"""Least spread, as a part of the first."""
TEMPERATURE = 0.1
"""Temperature as a part of the costs' standard deviation among the better half (MPPI)."""


@dataclass(slots=True)
class Search:
    """A normal distribution over knots.

    Attributes:
        mean, spread: shape (knots, nu), [N m or N]; first: the spread at the start.
        best: shape (knots, nu), sample of least cost.
        limit: shape (nu,), greatest torques.
    """

    mean: Floats
    spread: Floats
    first: Floats
    limit: Floats
    best: Floats

    def draw(self, rng: np.random.Generator, n: int) -> Floats:
        """Return n samples within the limits, shape (n, knots, nu), with the mean and the best."""
        found = self.mean + self.spread * rng.normal(size=(n, *self.mean.shape))
        found[:2] = np.stack([self.best, self.mean])[:n]
        return np.clip(found, -self.limit, self.limit)

    def learn(self, method: str, knots: Floats, cost: Floats) -> None:
        """Move mean and spread to samples of low cost.

        ``cem``: those of the best tenth (Rubinstein and Kroese 2004). ``mppi``: those with weights
        ``exp(-(cost - least) / temperature)`` (Williams et al. 2017).
        """
        self.best = knots[np.argmin(cost)]
        order = np.argsort(cost)[: int(np.isfinite(cost).sum())]
        above, weight = cost[order] - cost[order[0]], np.zeros(len(order))
        if method == "cem":
            weight[: max(2, round(ELITE * len(cost)))] = 1.0
        else:
            better = above[: max(2, len(order) // 2)].std()
            weight = np.exp(-above / (TEMPERATURE * better + 1e-300))
        weight /= weight.sum()
        self.mean = np.tensordot(weight, knots[order], 1)
        spread = np.sqrt(np.tensordot(weight, (knots[order] - self.mean) ** 2, 1))
        self.spread = np.maximum((1.0 - KEPT) * spread + KEPT * self.spread, LEAST * self.first)
