"""The looks of a scene, as sent to pages: materials, surfaces, payloads."""
