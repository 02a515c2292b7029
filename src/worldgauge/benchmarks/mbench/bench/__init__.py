"""Measurements of MBench's own."""
