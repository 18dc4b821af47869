"""Ways to write the same events on a wire, and to read what providers write; no IO."""
