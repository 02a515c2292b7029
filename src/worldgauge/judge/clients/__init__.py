"""Ways to reach a judge; each is imported when it is asked for."""
