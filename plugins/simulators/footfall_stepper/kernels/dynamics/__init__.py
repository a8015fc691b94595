"""Kernels of trees and rigid bodies: factored inertia, free velocity, momentum, integration."""
