"""Make a robot folder of a URDF or an MJCF: find it, look at it, propose, check, write."""
