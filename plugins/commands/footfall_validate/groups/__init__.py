"""What collision groups save."""
