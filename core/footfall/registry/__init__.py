"""Plugins: the hook, the typed catalogs, discovery."""

from footfall.registry.hook import hookimpl

__all__ = ["hookimpl"]
