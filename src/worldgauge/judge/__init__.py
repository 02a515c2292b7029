"""Judges: vision-language models that are asked about clips. Cached, costed, strict; see `docs/judge.md`."""
