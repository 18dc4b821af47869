"""Implementations of the store ports."""
