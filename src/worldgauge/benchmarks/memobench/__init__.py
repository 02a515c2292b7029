"""MemoBench: objects leave the view, the world goes on, and they come back."""
