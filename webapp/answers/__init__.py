"""The use cases: ask, produce, follow, cancel, act, recover; no framework and no implementation of a port."""
