"""The HTTP door: LangServe routes for the three graphs, health, the admin panel, and the limits around them."""
