"""What terrains share: coefficients that differ from place to place."""
