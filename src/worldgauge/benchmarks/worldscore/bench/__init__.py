"""Figures that are measured by hand: `python -m` and a module of this folder."""
