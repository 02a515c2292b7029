"""Thin bridges to experiment trackers: a `Run`, or the dictionary of a `Gauge`, as their scalars."""
