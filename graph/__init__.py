"""Floor 3, wiring only: graphs, services, settings and the public functions."""
