"""``footfall pose`` and ``footfall.pose``: inverse kinematics for the frames of a robot."""
