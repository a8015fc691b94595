"""What lets a robot stand: forces of the ground, torques that balance them, and gains."""
