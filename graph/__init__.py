"""Floor 3, wiring only."""
