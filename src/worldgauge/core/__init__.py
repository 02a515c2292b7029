"""The nouns: Video, Case, Submission, Instrument, Signal, Metric, Benchmark, Record. Only numpy and pydantic."""
