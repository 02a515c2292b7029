"""Gauge blocks: rendered worlds whose geometry, motion, events and cameras are known exactly."""

from worldgauge.blocks.block import Block, Truth, World

__all__ = ["Block", "Truth", "World"]
