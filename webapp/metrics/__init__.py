"""Implementations of the metrics port, for the systems that collect figures."""
