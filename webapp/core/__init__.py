"""Values and rules of answers: no IO, clock, randomness, threads or framework."""
