"""Networks in processes of their own, with Python environments of their own: how they are started, asked and ended."""
