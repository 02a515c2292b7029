"""A Ray cluster of one machine for trying things out: plain processes, or the containers of `compose.yaml`."""
