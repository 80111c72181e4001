"""The admin panel: a person looks at a genome and decides. Needs the extra ``admin``; begin with ``app``."""
