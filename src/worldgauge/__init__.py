"""WorldGauge: one instrument for video world models."""
