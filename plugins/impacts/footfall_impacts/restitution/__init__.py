"""Impacts with restitution and friction."""
