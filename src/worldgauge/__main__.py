"""`python -m worldgauge`."""

from worldgauge.cli.main import main

main()
