"""Errors of the instruments against the truth of gauge blocks."""
