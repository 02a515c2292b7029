"""The pocket benchmark: a few gauge blocks and pocket instruments, for a first look and for the demo."""

from pathlib import Path

FOLDER = Path(__file__).parent
