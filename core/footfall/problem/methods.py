"""The ways in which the Delassus matrix can be computed, by name."""

from typing import Literal

DelassusName = Literal["sparse", "unit_body_forces", "omega_recursion", "unit_contact_forces"]
"""``sparse``: from the factored inertia. The others go through articulated bodies: Chardonnet's
unit forces on touching bodies, Chang and Khatib's recursion, unit forces at every contact."""
