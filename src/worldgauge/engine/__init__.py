"""Plan, store, perceive, score: from cases and videos to records."""
