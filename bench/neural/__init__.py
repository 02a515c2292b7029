"""Networks on a GPU: the originals' order of calls against the engine, each network's rates, number types."""
