"""What credentials look like: by themselves, by the name they are given to, and by the place they stand in."""
