"""What the use cases need of the outside world, as protocols; no implementation."""
