"""Everything that keeps or reads: the corpus, the lexical index, git history."""
