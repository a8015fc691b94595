"""What a scene looks like, as pages are sent it: materials, surfaces, payloads."""
