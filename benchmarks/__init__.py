"""Measurements of quality and speed; results are filed under benchmarks/results/."""
