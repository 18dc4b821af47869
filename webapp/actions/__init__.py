"""Implementations of the port that carries out actions."""
