"""The use cases: ask, produce, follow, cancel, recover; no framework and no implementation of a port."""
