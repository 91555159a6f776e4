"""Pure rules of the games: no clock, no randomness, no I/O."""
