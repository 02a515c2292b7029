"""WorldScore: worlds generated from a picture, prompts and a camera path."""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where `benchmark.toml` lies."""
