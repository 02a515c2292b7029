"""Coverage-guided fuzzing of every reader: no exception but ours, no hang over 5 s, no memory over 1 GiB."""
