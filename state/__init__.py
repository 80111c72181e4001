"""Floor 0, the words: states, requests, results, genomes, ports and errors."""
