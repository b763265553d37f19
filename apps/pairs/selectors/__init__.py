"""Questions about pairs events."""
