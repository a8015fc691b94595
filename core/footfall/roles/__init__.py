"""The roles that plugins play: one small abstract class each."""
