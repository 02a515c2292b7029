"""From source clips to cases: which clips challenge a memory, what they show, and what a model is told."""
