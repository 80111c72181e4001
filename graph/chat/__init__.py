"""How one language model is asked: its connection, the ways of asking for JSON, and the reading of what comes."""
