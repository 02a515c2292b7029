"""Instruments that are trained networks. No module here imports torch; `networks` does, when one is loaded."""
