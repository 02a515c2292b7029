"""What decodes on this machine."""

from __future__ import annotations


def codecs() -> str:
    """The versions of what decodes here: others may give other pixels."""
    import av
    import PIL

    return f"av {av.__version__} {sorted(av.library_versions.items())}, PIL {PIL.__version__}"
