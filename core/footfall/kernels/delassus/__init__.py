"""The delassus package."""
