"""MemoBench: objects leave the view, the world goes on, and they come back."""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where `benchmark.toml` lies."""
