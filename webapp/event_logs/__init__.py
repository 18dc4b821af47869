"""Implementations of the event log port."""
