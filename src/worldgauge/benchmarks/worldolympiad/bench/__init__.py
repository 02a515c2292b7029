"""Long measurements of WorldOlympiad's own instruments, run by hand."""
