"""The real Orca with a real Chromium on a desktop that nobody sees: what a person would hear of a page."""
