"""Routes for tests, there only with --testing: scenarios of the scripted model, and what became of them."""
