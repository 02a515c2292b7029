"""Gauge blocks as cases of both settings, and what is known of each score because of them."""
