"""Long measurements of the pocket benchmark itself, run by hand."""
