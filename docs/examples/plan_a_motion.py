"""Plan a quadruped's jump from a cost and random torques.
You see the cost fall, and how high the trunk is in the end."""

import footfall

stance = footfall.load("quadruped/standing").q[7:].copy()
cost = footfall.Cost(
    running={
        "torque": 1e-5,  # a weight
        "quadruped.joints": (0.3, stance),  # a weight and a target
        "quadruped.turning": 0.1,
    },
    final={
        "quadruped.position": ([20.0, 20.0, 400.0], [0.0, 0.0, 0.55]),
        "quadruped.orientation": 20.0,
        "quadruped.velocity": 1.0,  # the top of the jump
        "quadruped.joints": (3.0, stance),
        "quadruped.turning": 1.0,
    },
)
plan = footfall.plan(
    "quadruped/standing",
    cost,
    horizon=0.45,  # [s]
    knots=6,  # of the torques, with straight lines between
    substeps=15,
    iterations=25,  # of 64 runs each
    hold=(40.0, 1.0),  # springs and dampers that hold the stance meanwhile
)
height = plan.states[:, 2]
print(f"cost from {plan.costs[0]:.2f} to {plan.costs[-1]:.2f} in {len(plan.costs)} iterations")
print(f"stands at {height[0]:.3f} m, crouches to {height.min():.3f} m, jumps to {height[-1]:.3f} m")
