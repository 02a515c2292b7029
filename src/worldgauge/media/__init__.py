"""The only code that reads or writes pixels on disk."""
