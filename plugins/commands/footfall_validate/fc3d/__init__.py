"""Friction problems of others, solved by contact laws."""
