"""Motamot: a self-hosted chat for any language model, whose answers arrive word for word."""
