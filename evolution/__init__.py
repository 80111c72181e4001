"""Floor 1, evolution: genomes, their variation, judging and the gate."""
