"""One module a step; a released step never changes."""
