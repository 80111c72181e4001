"""Floor 2, the steps: one node a step, state in, update out."""
