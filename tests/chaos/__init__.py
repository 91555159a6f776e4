"""Proof by histories: clients write down all that they hear, and a checker compares it with the logs."""
