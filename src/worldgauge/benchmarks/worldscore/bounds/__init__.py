"""Deriving the bounds of the scales for any instruments, as C.8 of the paper describes."""
