"""Where targets are in first frames: by a text detector, by clicks on a page; and back into the official files."""
