"""The answer cache as pure policy: when two questions are one, what may enter, and what may be served."""
