"""The steps of an evolution cycle."""
