"""Work on many machines: a Ray cluster, and arrays of a Slurm queue."""
