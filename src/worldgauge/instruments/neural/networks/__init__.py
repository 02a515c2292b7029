"""The networks themselves: torch modules whose parameter names are those of the published checkpoints."""
