"""The doors: how people and programs reach the graphs."""
