"""Long measurements of the benchmark itself, run by hand."""
